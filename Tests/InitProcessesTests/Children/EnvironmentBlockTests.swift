import Glibc
import Testing

@testable import InitProcesses

@Suite("EnvironmentBlock")
struct EnvironmentBlockTests {
  @Test("Invalid names are refused", arguments: [["": "x"], ["A=B": "x"], ["A\0": "x"], ["A": "x\0y"]])
  func refused(variables: [String: String]) {
    #expect(throws: SpawnError(call: .arguments, errno: EINVAL, program: "")) { _ = try EnvironmentBlock(variables) }
  }

  @Test("The search path is the environment's PATH, or the system's default")
  func searchPath() throws {
    #expect(try EnvironmentBlock(["PATH": "/opt/bin"]).searchPath == "/opt/bin")
    #expect(try EnvironmentBlock(["PATH": ""]).searchPath == "")
    #expect(try EnvironmentBlock([:]).searchPath == "/usr/local/bin:/usr/bin:/bin")
  }

  @Test("Additional variables override those of the base, which doesn't change")
  func adding() throws {
    let base = try EnvironmentBlock(["A": "1", "B": "2", "PATH": "/base"])
    let more = try EnvironmentBlock(base, adding: [("B", "3"), ("C", "4")])
    let most = try EnvironmentBlock(more, adding: [("PATH", "/own")])
    #expect(strings(of: base) == ["A=1", "B=2", "PATH=/base"])
    #expect(strings(of: more) == ["A=1", "B=3", "C=4", "PATH=/base"])
    #expect(strings(of: most) == ["A=1", "B=3", "C=4", "PATH=/own"])
    #expect([base, more, most].map(\.searchPath) == ["/base", "/base", "/own"])
  }

  private func strings(of block: EnvironmentBlock) -> [String] {
    var found: [String] = []
    var next = block.strings.pointers
    while let string = next.pointee {
      found.append(String(cString: string))
      next += 1
    }
    return found.sorted()
  }
}
