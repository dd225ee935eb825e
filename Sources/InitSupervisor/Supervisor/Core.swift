internal import AppInitializers
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging

/// What all parts of a supervisor stand on: its configuration, the loop, the log, and the manager with its clock, which they use on the loop's thread
/// without a hop.
final class Core {
  let configuration: SupervisorConfiguration
  let loop: Loop
  let logger: Logger
  let manager: InitManager
  /// Turns the manager's instants into the time that is told.
  let clock: WallClock
  /// How many events the machine has been handed.
  private(set) var steps = 0

  init(_ configuration: SupervisorConfiguration, loop: Loop, logger: Logger, manager: InitManager) {
    (self.configuration, self.loop, self.logger, self.manager) = (configuration, loop, logger, manager)
    clock = WallClock(now: manager.now)
  }

  /// Hands the machine an event; what it makes of it has been told to everybody when this returns.
  func apply(_ event: Event) throws(Refusal) {
    steps += 1
    let outcome = manager.assumeIsolated { manager in
      Result { () throws(Refusal) in try manager.apply(event) }
    }
    try outcome.get()
  }

  /// An event that a client sends; a refusal is its answer.
  func control(_ event: Event) throws(WireError) {
    do throws(Refusal) { try apply(event) } catch { throw WireError(error) }
  }

  /// Reads something off the machine. The machine itself is never kept: a copy of it would be copied again by its next step.
  func read<Value: Sendable>(_ query: @Sendable (Machine) -> Value) -> Value {
    manager.assumeIsolated { query($0.machine) }
  }

  /// Whether shutting down has begun (S24).
  var isEnding: Bool { read { $0.isEnding } }

  /// Whether an initializer of that name is known.
  func isKnown(_ name: String) -> Bool { read { $0.initializer(named: name) != nil } }

  /// The present time, as events tell it.
  var time: Double { clock.seconds(at: manager.now) }
}

/// A part of a supervisor: it has a state of its own, and lives on the loop's thread.
protocol Part {
  var core: Core { get }
}

extension Part {
  var configuration: SupervisorConfiguration { core.configuration }
  var limits: Limits { core.configuration.limits }
  var loop: Loop { core.loop }
  var logger: Logger { core.logger }
}

extension WireError {
  /// What a client is told when the machine doesn't take its event.
  init(_ refusal: Refusal) {
    let code: ErrorCode =
      switch refusal {
      case .shuttingDown: .shuttingDown
      case .nameTaken, .nameResident, .declaredOtherwise: .nameConflict
      case .unknownInitializer: .unknownInitializer
      }
    self.init(code, refusal.description)
  }
}
