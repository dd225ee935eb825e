package import EventLoop
package import Logging

/// What all parts of a server use: its settings, loop and log.
package final class ServerContext {
  let settings: ServerSettings
  let loop: Loop
  let logger: Logger
  /// The size of the last answer with a Status, in bytes.
  var statusBytes = 0

  /// Creates the context of a server on this loop.
  package init(_ settings: ServerSettings, loop: Loop, logger: Logger) {
    self.settings = settings
    self.loop = loop
    self.logger = logger
  }

  var limits: ClientLimits { settings.limits }
}
