import Glibc
import Testing

@testable import Libuv

@Suite("EnvironmentBlock")
struct EnvironmentBlockTests {
  @Test("Names that can't be are refused", arguments: [["": "x"], ["A=B": "x"], ["A\0": "x"], ["A": "x\0y"]])
  func refused(variables: [String: String]) {
    #expect(throws: SpawnError(call: .arguments, errno: EINVAL, program: "")) { _ = try EnvironmentBlock(variables) }
  }

  @Test("The search path is the environment's own, or the usual")
  func searchPath() throws {
    #expect(try EnvironmentBlock(["PATH": "/opt/bin"]).searchPath == "/opt/bin")
    #expect(try EnvironmentBlock(["PATH": ""]).searchPath == "")
    #expect(try EnvironmentBlock([:]).searchPath == "/usr/local/bin:/usr/bin:/bin")
  }
}
