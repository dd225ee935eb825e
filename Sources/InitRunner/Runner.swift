internal import EventLoop

/// What a supervisor starts: commands, probes, kept processes, and the app.
///
/// It knows no client. What happens, it reports to its ``RunReports`` and to the machine.
package final class Runner {
  package let commands: CommandRunner
  package let probes: Probes
  package let processes: Processes
  package let app: AppProcess

  /// Creates a runner that hasn't started anything.
  package init(_ context: RunnerContext) {
    commands = CommandRunner(context)
    probes = Probes(context)
    processes = Processes(context, directory: commands.directory)
    app = AppProcess(context)
    context.runner.refer(to: self)
  }

  /// Starts the kept processes.
  package func start() {
    commands.prepareDirectory()
    processes.start()
  }

  /// Whether no process runs: the app, the kept processes, commands.
  package var isIdle: Bool { !app.isRunning && !processes.areRunning && commands.isIdle }
}
