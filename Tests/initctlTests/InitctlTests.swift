import Testing

@testable import CommandLineOptions
@testable import initctl

struct InitctlTests {
  @Test(
    "Wrong usage is exit status 64 (§9)",
    arguments: [
      ["frobnicate"], ["status", "?"], ["wait", "a", "?"], ["wait", "--timeout", "soon"], ["wait", "not a name"],
      ["run"], ["run", "true"], ["run", "--"], ["worker", "a"], ["worker", "--", "true"],
      ["worker", "?", "--", "true"],
      ["worker", "a", "--priority", "high", "--", "true"],
      ["worker", "a", "--dependency", "b", "--dependency", "b", "--", "true"], ["logs", "?"], ["check"],
      ["watch", "weather"], ["status", "--socket"], ["graph", "a", "b"], ["blame", "a"], ["explain"],
    ])
  func usage(arguments: [String]) {
    #expect(throws: UsageError.self) { try Initctl.program.invocation(arguments) }
    #expect(ProgramStatus.usage.rawValue == 64)
  }

  /// The options of a command line.
  private func read<Command: ProgramCommand>(_ arguments: [String], as type: Command.Type) throws -> Command {
    guard case .command(let command as Command) = try Initctl.program.invocation(arguments) else {
      throw UsageError("another command")
    }
    return command
  }

  @Test("The socket's option may precede or follow the command's name")
  func socket() throws {
    func socket(_ arguments: [String]) throws -> String? {
      try read(arguments, as: StatusCommand.self).connection.socket
    }
    #expect(try socket(["status"]) == nil)
    #expect(try socket(["--socket", "/a", "status"]) == "/a")
    #expect(try socket(["status", "--socket", "/b"]) == "/b")
    #expect(throws: UsageError.self) { try socket(["--socket", "/a", "status", "--socket", "/b"]) }
  }

  @Test("The timeout for connecting may also precede or follow it")
  func connectTimeout() throws {
    func timeout(_ arguments: [String]) throws -> Duration? {
      try read(arguments, as: StatusCommand.self).connection.connectTimeout
    }
    #expect(try timeout(["status"]) == nil)
    #expect(try timeout(["--connect-timeout", "1", "status"]) == .seconds(1))
    #expect(try timeout(["status", "--connect-timeout", "2"]) == .seconds(2))
  }

  @Test("A command's own arguments aren't parsed as options")
  func passthrough() throws {
    let run = try read(["run", "--", "ls", "--socket", "x", "--", "-h"], as: RunCommand.self)
    #expect(run.command == ["ls", "--socket", "x", "--", "-h"])
    #expect(run.connection.socket == nil)
    let worker = try read(
      ["worker", "a", "--dependency", "b", "--dependency", "c", "--timeout", "2m", "--", "sh", "-c", "x"],
      as: WorkerCommand.self)
    #expect(worker.dependencies == ["b", "c"])
    #expect(worker.timeout == .seconds(120))
    #expect(worker.command == ["sh", "-c", "x"])
  }
}
