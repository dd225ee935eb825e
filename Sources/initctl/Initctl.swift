internal import CStart
internal import CommandLineOptions
internal import Glibc
internal import InitModel
internal import InitText
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
        126  the command cannot be executed (run, exec)
        127  the command was not found (run, exec)
      run and exec exit with the status of their command otherwise.

      Examples:
        initctl up
        initctl status
      """)

  /// The commands, and the options that they share.
  static let program = Program(
    help, version: Release.line(of: "initctl", commit: BuildCommit.name), shared: ConnectionOptions.self,
    commands: [
      UpCommand.self, DownCommand.self, LsCommand.self, StatusCommand.self, LaunchCommand.self, ActivateCommand.self,
      DeactivateCommand.self, RerunCommand.self,
      CancelCommand.self, StopCommand.self, StartCommand.self, RestartCommand.self, EnvCommand.self,
      ExecCommand.self, PortCommand.self, WatchCommand.self,
      WaitCommand.self, WhyCommand.self, BlameCommand.self, CriticalPathCommand.self, PlotCommand.self,
      TraceCommand.self, WhatIfCommand.self, HistoryCommand.self, CompareCommand.self, GraphCommand.self,
      ReportCommand.self,
      PlanCommand.self,
      RunCommand.self, WorkerCommand.self, UnregisterCommand.self, LogsCommand.self, CheckCommand.self,
      SchemaCommand.self, StateCommand.self, ReloadCommand.self, ShutdownCommand.self,
      CompletionsCommand.self,
    ],
    foreignWords: [
      "ps": ["status"], "processes": ["status"], "list": ["status", "ls"], "retry": ["rerun"],
      "tail": ["logs --follow"], "attach": ["watch"], "update": ["reload"],
      "config": ["check --resolved"], "validate": ["check"], "verify": ["check"],
    ], isOther: { Plugin.path(of: $0) != nil })

  static func main() {
    start_restore_environment()
    CrashReport.install(program: "initctl", version: Release.version)
    do {
      try ProcessStart.prepare()
      if let argument = ProcessEnvironment.firstArgumentThatIsNoText() {
        throw UsageError("\(argument) isn't UTF-8; arguments must be UTF-8", of: "initctl")
      }
      let words = Array(CommandLine.arguments.dropFirst())
      switch try program.invocation(words) {
      case .other(let name, let arguments, let options):
        try Plugin.replaceThisProcess(name, arguments, options as? ConnectionOptions ?? ConnectionOptions())
      case .text(let text) where ["help", "--help", "-h"].contains(words.joined(separator: " ")):
        let others = Plugin.names
        let list =
          others.isEmpty
          ? "" : "\nCommands of other programs:\n" + others.map { "  \(TerminalText.escape($0))\n" }.joined()
        try Console.write(text + list)
      case .command(let command): try command.run()
      case .text(let text): try Console.write(text)
      case .completion(let completion): try completion.answer()
      }
    } catch {
      exit(CommandLoop.report(error).rawValue)
    }
  }
}
