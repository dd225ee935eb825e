internal import CStart
internal import CommandLineOptions
internal import Glibc
internal import InitModel
internal import InitWire
internal import Platform

/// `initctl`: controls a supervisor over its socket.
@main
enum Initctl {
  private static let help = CommandHelp(
    "initctl", "Control a supervisor (initd), and inspect its initializers.",
    discussion: """
      A duration is a number with a unit (500ms, 30s, 2m), or a number of seconds.

      Exit status:
        0    success
        1    failed or cancelled, or the supervisor refused the request
        2    not complete yet (why)
        64   wrong usage, or an unknown name
        65   invalid manifest (check, graph, plan, reload, worker --config), or
             damaged passes (--state-directory)
        66   the manifest or the passes cannot be read (the same)
        69   no supervisor answers (in time: --reply-timeout), or the connection was lost
        77   permission denied
        124  timed out
        126  the command cannot be executed (run)
        127  the command was not found (run)
      run exits with the status of its command otherwise.

      Examples:
        initctl status
        initctl activate --wait --timeout 30s
      """)

  /// The commands, and the options that they share.
  static let program = Program(
    help, version: Release.line(of: "initctl", commit: BuildCommit.name), shared: ConnectionOptions.self,
    commands: [
      StatusCommand.self, LaunchCommand.self, ActivateCommand.self, DeactivateCommand.self, RerunCommand.self,
      CancelCommand.self, EnvCommand.self, WatchCommand.self,
      WaitCommand.self, WhyCommand.self, BlameCommand.self, CriticalPathCommand.self, PlotCommand.self,
      TraceCommand.self, WhatIfCommand.self, HistoryCommand.self, CompareCommand.self, GraphCommand.self,
      PlanCommand.self,
      RunCommand.self, WorkerCommand.self, UnregisterCommand.self, LogsCommand.self, CheckCommand.self,
      SchemaCommand.self, ReloadCommand.self, ShutdownCommand.self,
      CompletionsCommand.self,
    ],
    foreignWords: [
      "ps": ["status"], "processes": ["status"], "list": ["status"], "ls": ["status"],
      "start": ["launch", "activate"], "up": ["launch", "activate"],
      "stop": ["deactivate", "shutdown"], "down": ["deactivate", "shutdown"],
      "restart": ["rerun"], "retry": ["rerun"], "tail": ["logs --follow"], "validate": ["check"], "verify": ["check"],
    ])

  static func main() {
    start_restore_environment()
    CrashReport.install(program: "initctl", version: Release.version)
    do {
      try ProcessStart.prepare()
      if let argument = ProcessEnvironment.firstArgumentThatIsNoText() {
        throw UsageError("\(argument) isn't UTF-8; arguments must be UTF-8", of: "initctl")
      }
      switch try program.invocation(Array(CommandLine.arguments.dropFirst())) {
      case .command(let command): try command.run()
      case .text(let text): try Console.write(text)
      case .completion(let completion): try completion.answer()
      }
    } catch {
      exit(CommandLoop.report(error).rawValue)
    }
  }
}
