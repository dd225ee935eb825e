package import AppInitializers
package import EventLoop
package import InitCore
internal import InitProcesses
package import InitWords
package import Logging
package import Platform

/// What all parts of a runner use: its settings, the manager, loop, log and clock.
package final class RunnerContext {
  /// The settings; a reload changes some of them.
  package var settings: RunnerSettings
  /// Returns the fencing token of a run in a phase that has none of its own.
  package var fence: (Phase) -> Int? = { _ in nil }
  /// Returns the trace context of a run, or of the program with this number that isn't a run.
  package var trace: (RunStart?, Int) -> String? = { _, _ in nil }
  let manager: ManagerAccess
  let loop: Loop
  /// The ports, which everything that is started gets.
  package let ports = Ports()
  /// The children of all parts.
  let children: ChildTable
  let logger: Logger
  let clock: WallClock
  let reports: any RunReports
  /// The runner itself, for code that must wait, or may be called from other threads.
  let runner: LoopReference<Runner>

  /// Creates the context of a runner for a manager on this loop.
  package init(
    _ settings: RunnerSettings, manager: ManagerAccess, loop: Loop, logger: Logger, clock: WallClock,
    reports: any RunReports, runner: LoopReference<Runner>
  ) {
    self.settings = settings
    self.manager = manager
    self.loop = loop
    children = ChildTable(loop: loop)
    self.logger = logger
    self.clock = clock
    self.reports = reports
    self.runner = runner
  }

  /// The current time, in seconds since the Unix epoch.
  var time: Double { clock.seconds(at: manager.now) }
}
