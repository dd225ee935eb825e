internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

/// What all components of a supervisor use: its configuration, loop and log, and the manager with its clock, which they call directly on
/// the loop's thread.
final class SupervisorContext {
  /// The settings; a reload changes some of them.
  private(set) var configuration: SupervisorConfiguration
  let loop: Loop
  let logger: Logger
  let manager: InitManager
  /// The manager, used directly.
  let access: ManagerAccess
  /// Identifies this execution of the supervisor.
  let instance = InstanceID.make()
  /// Turns the manager's instants into seconds since the Unix epoch.
  let clock: WallClock
  /// The hold with a lease that has a fencing token, and its token; it may have ended.
  var leader: (hold: HoldID, fence: Int)?

  init(
    _ configuration: SupervisorConfiguration, loop: Loop, logger: Logger, manager: InitManager
  ) {
    self.configuration = configuration
    self.loop = loop
    self.logger = logger
    self.manager = manager
    access = ManagerAccess(manager)
    clock = WallClock(now: manager.now)
  }

  /// The fencing token of the client that holds the app active with a lease; nil without one.
  ///
  /// A client may have deactivated the app, which ends all holds.
  var fence: Int? {
    guard let (hold, fence) = leader, read({ $0.isHeld(by: hold) }) else { return nil }
    return fence
  }

  /// Returns the fencing token of a run that has none of its own: the leader's token, in active passes.
  func fence(in phase: Phase) -> Int? { phase == .active ? fence : nil }

  /// Applies an event to the machine.
  ///
  /// When this returns, all components have handled the resulting notices.
  func apply(_ event: Event) throws(Refusal) { try access.apply(event) }

  /// Applies an event that a client has requested; a refusal is the client's error.
  func control(_ event: Event) throws(WireError) {
    do throws(Refusal) { try apply(event) } catch { throw WireError(error) }
  }

  /// Releases a connection's hold (S23).
  ///
  /// Without a hold this isn't a step of the machine, so the encoded Status can be used again.
  func release(_ hold: HoldID) {
    if read({ $0.isHeld(by: hold) }) { try? apply(.holdReleased(hold)) }
  }

  /// Takes the settings over that a reload changes.
  func adopt(_ new: SupervisorConfiguration) {
    configuration.settings = new.settings
    configuration.initializers = new.initializers
    configuration.workers = new.workers
    configuration.environment = new.environment
  }

  /// Takes over from which files the configuration was read, also if it is the same as before.
  func adopt(_ files: SourceFiles) { configuration.sourceFiles = files }

  /// Applies a reload to the machine, with the providers of new and changed initializers (S27).
  func reload(_ reload: Reload, providers: [String: (any InitializerProvider)?]) throws(Refusal) {
    try access.reload(reload, providers: providers)
  }

  /// Queries the machine.
  ///
  /// Reads from the machine without returning it: its next step would have to copy it.
  func read<Value: Sendable>(_ query: @Sendable (inout Machine) -> Value) -> Value {
    access.read(query)
  }

  /// Whether shutting down has begun (S24).
  var isEnding: Bool { access.isEnding }

  /// Returns whether an initializer with this name is known.
  func isKnown(_ name: String) -> Bool { access.isKnown(name) }

  var limits: Limits { configuration.limits }

  /// The current time, in seconds since the Unix epoch.
  var time: Double { clock.seconds(at: manager.now) }
}

extension WireError {
  /// Creates the error for an event that the machine refuses.
  init(_ refusal: Refusal) {
    let code: ErrorCode =
      switch refusal {
      case .shuttingDown: .shuttingDown
      case .nameTaken, .nameResident, .declaredOtherwise: .nameConflict
      case .unknownInitializer: .unknownInitializer
      case .notRunning, .leftOut, .stopped: .notRunning
      case .inactive: .inactive
      }
    self.init(code, refusal.description, detail: Detail(refusal))
  }
}

extension WireError.Standing {
  fileprivate init(_ standing: InitializerStanding) { self.init(name: standing.name, status: standing.status) }
}

extension WireError.Detail {
  /// Creates the members of the error for a refusal; nil if it has none.
  fileprivate init?(_ refusal: Refusal) {
    switch refusal {
    case .notRunning(let standings), .stopped(let standings):
      self = .initializers(standings.map { WireError.Standing($0) })
    case .leftOut(let skipped, let unselected):
      self = .initializers((skipped + unselected).map { WireError.Standing($0) })
    case .shuttingDown, .nameTaken, .nameResident, .declaredOtherwise, .unknownInitializer, .inactive: return nil
    }
  }
}
