package import AppInitializers
package import EventLoop
package import Logging
package import Platform

/// What all records use: their settings, the manager, loop, log and clock.
package final class RecordsContext {
  /// The settings; a reload changes some of them.
  package var settings: RecordsSettings
  let manager: ManagerAccess
  let loop: Loop
  let logger: Logger
  let clock: WallClock
  /// Identifies this execution of the supervisor.
  let instance: String

  /// Creates the context of the records of a manager on this loop.
  package init(
    _ settings: RecordsSettings, manager: ManagerAccess, loop: Loop, logger: Logger, clock: WallClock, instance: String
  ) {
    self.settings = settings
    self.manager = manager
    self.loop = loop
    self.logger = logger
    self.clock = clock
    self.instance = instance
  }

  /// The current time, in seconds since the Unix epoch.
  var time: Double { clock.seconds(at: manager.now) }
}
