import ArgumentParser
import Testing

@testable import initctl

struct InitctlTests {
  @Test(
    "Wrong usage is exit status 64 (§9)",
    arguments: [
      ["frobnicate"], ["status", "extra"], ["wait", "a", "b"], ["wait", "--timeout", "soon"], ["wait", "not a name"],
      ["run"], ["run", "true"], ["run", "--"], ["worker", "a"], ["worker", "--", "true"],
      ["worker", "?", "--", "true"],
      ["worker", "a", "--priority", "high", "--", "true"],
      ["worker", "a", "--dependency", "b", "--dependency", "b", "--", "true"], ["logs", "?"], ["check"],
      ["watch", "weather"], ["status", "--socket"], ["graph"], ["blame"],
    ])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Initctl.parseAsRoot(arguments) }
    guard let error else { return }
    #expect(Initctl.exitCode(for: error) == .validationFailure)
    #expect(ExitCode.validationFailure.rawValue == 64)
  }

  @Test("The socket is named before the command or behind it; what stands behind is nearer")
  func socket() throws {
    func socket(_ arguments: [String]) throws -> String? {
      let command = try #require(try Initctl.parseAsRoot(arguments) as? StatusCommand)
      return command.connection.or(command.root.connection).socket
    }
    #expect(try socket(["status"]) == nil)
    #expect(try socket(["--socket", "/a", "status"]) == "/a")
    #expect(try socket(["status", "--socket", "/b"]) == "/b")
    #expect(try socket(["--socket", "/a", "status", "--socket", "/b"]) == "/b")
  }

  @Test("And so is how long a supervisor is waited for")
  func connectTimeout() throws {
    func timeout(_ arguments: [String]) throws -> Double? {
      let command = try #require(try Initctl.parseAsRoot(arguments) as? StatusCommand)
      return command.connection.or(command.root.connection).connectTimeout?.seconds
    }
    #expect(try timeout(["status"]) == nil)
    #expect(try timeout(["--connect-timeout", "1", "status"]) == 1)
    #expect(try timeout(["--connect-timeout", "1", "status", "--connect-timeout", "2"]) == 2)
  }

  @Test("A command's own arguments are nobody else's, whatever they look like")
  func passthrough() throws {
    let run = try #require(
      try Initctl.parseAsRoot(["run", "--", "ls", "--socket", "x", "--", "-h"]) as? RunCommand)
    #expect(run.command == ["ls", "--socket", "x", "--", "-h"])
    #expect(run.connection.or(run.root.connection).socket == nil)
    let worker = try #require(
      try Initctl.parseAsRoot(
        ["worker", "a", "--dependency", "b", "--dependency", "c", "--timeout", "2m", "--", "sh", "-c", "x"])
        as? WorkerCommand)
    #expect(worker.dependencies == ["b", "c"])
    #expect(worker.timeout?.seconds == 120)
    #expect(worker.command == ["sh", "-c", "x"])
  }
}
