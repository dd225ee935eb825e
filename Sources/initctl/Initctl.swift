internal import ArgumentParser
internal import InitWire
internal import Platform

/// `initctl`: controls a supervisor over its socket.
@main
struct Initctl: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "initctl",
    abstract: "Control a supervisor (initd), and see what it initializes.",
    discussion: """
      A duration is a number with a unit (500ms, 30s, 2m), or a number of seconds.

      Exit status:
        0    success
        1    failed or cancelled, or the supervisor refused the request
        64   wrong usage, or an unknown name
        65   invalid manifest (check)
        69   no supervisor answers, or the connection was lost
        77   permission denied
        124  timed out
        126  the command cannot be executed (run)
        127  the command was not found (run)
      run exits with the status of its command otherwise.

      Examples:
        initctl status
        initctl activate --wait --timeout 30s
      """,
    version: version,
    subcommands: [
      StatusCommand.self, LaunchCommand.self, ActivateCommand.self, DeactivateCommand.self, WatchCommand.self,
      WaitCommand.self, RunCommand.self, WorkerCommand.self, LogsCommand.self, CheckCommand.self,
      ShutdownCommand.self,
    ])

  @OptionGroup var connection: ConnectionOptions

  func run() throws {
    throw ValidationError("Name a command.")
  }

  static func main() {
    do {
      try ProcessStart.prepare()
      if let argument = ProcessEnvironment.firstArgumentThatIsNoText() {
        throw ValidationError("\(TerminalText.escape(argument)) isn't UTF-8; arguments must be UTF-8")
      }
      var command = try parse()
      try command.run()
    } catch {
      exit(withError: error)
    }
  }

  /// Reads the arguments.
  ///
  /// - Throws: why they are wrong. The message quotes them escaped.
  private static func parse() throws -> any ParsableCommand {
    do {
      return try parseAsRoot()
    } catch {
      _ = try parseAsRoot(CommandLine.arguments.dropFirst().map(TerminalText.escape))
      throw error
    }
  }
}
