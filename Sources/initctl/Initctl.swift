internal import ArgumentParser
internal import InitWire
internal import Libuv

/// `initctl`: talks to a supervisor over its socket.
@main
struct Initctl: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "initctl",
    abstract: "See and steer what a supervisor (initd) initializes.",
    discussion: """
      Durations are written 500ms, 30s, 2m, or as a number of seconds.

      Exit statuses: 0 done, or what was awaited is complete; 1 it failed or was cancelled, or the supervisor refused; \
      64 wrong usage, or a name that nobody declared; 65 bad manifest (check); 69 no supervisor answers, or it went away; 77 not permitted; \
      124 timed out. run: the command's own, 127 not found, 126 can't be run.
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
        throw ValidationError("\(TerminalText.escape(argument)) isn't UTF-8; give arguments in UTF-8 alone")
      }
      var command = try parse()
      try command.run()
    } catch {
      exit(withError: error)
    }
  }

  /// Reads the arguments.
  ///
  /// - Throws: what is wrong with them. Its message repeats them escaped, as if they had been given so.
  private static func parse() throws -> any ParsableCommand {
    do {
      return try parseAsRoot()
    } catch {
      _ = try parseAsRoot(CommandLine.arguments.dropFirst().map(TerminalText.escape))
      throw error
    }
  }
}
