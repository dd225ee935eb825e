internal import EventLoop
internal import InitCore
internal import InitModel
internal import InitServer
internal import InitText
internal import InitWire
internal import Logging

/// Holds with a lease: when such a hold ends, the app is deactivated, even if others hold it too.
///
/// `HoldLeases` decides when. This object also knows the client that decides when the app is active, e.g. by such holds.
final class LeasedHolds {
  let shared: SupervisorContext
  private var leases: HoldLeases
  private var names: [HoldID: String] = [:]
  /// The client that decides when the app is active; nil if anyone may.
  private var manager: Session?
  private let timer: BootTimer

  init(_ shared: SupervisorContext) {
    self.shared = shared
    leases = HoldLeases(cancelGrace: shared.configuration.machine.cancelGrace)
    timer = BootTimer(loop: shared.loop, name: "holds")
  }

  /// Takes `cancelGrace` from the new configuration.
  func reload() {
    leases.set(cancelGrace: shared.configuration.machine.cancelGrace)
    arm()
  }

  /// Checks the params of an activation.
  ///
  /// - Throws: the reason why the hold's lease can't be kept.
  func check(_ params: ActivateRequest, _ session: Session) throws(WireError) {
    guard let lease = params.lease else {
      guard params.fence == nil else {
        throw WireError(.invalidParams, "params.fence: must be given with a lease only")
      }
      return try checkManager(params, session)
    }
    guard params.hold else {
      throw WireError(.invalidParams, "params.lease: must be given with \"hold\":true only")
    }
    guard .seconds(lease) > leases.least else {
      throw WireError(
        .invalidParams,
        "params.lease: must be longer than cancelGrace, \(shared.configuration.machine.cancelGrace.words), and 200 ms"
      )
    }
    guard shared.loop.beginning(params.at, params.boot) + .seconds(lease) - shared.loop.bootTime > leases.least else {
      throw WireError(.invalidRequest, "cannot activate: the lease had nearly ended when this was read")
    }
    if let other = holder(otherThan: session) {
      throw WireError(.nameConflict, "cannot activate: \(other) holds the app active with a lease; end that first")
    }
  }

  /// Activates the app for a session, and adds the lease of its hold.
  ///
  /// - Throws: the machine's refusal.
  func activate(_ params: ActivateRequest, _ session: Session) throws(WireError) {
    // The events of the activation have the token.
    let former = shared.leader
    if params.lease != nil { shared.leader = params.fence.map { (session.hold, $0) } }
    do throws(WireError) {
      try shared.control(.activated(hold: params.hold ? session.hold : nil))
    } catch {
      shared.leader = former
      throw error
    }
    guard params.hold else { return }
    if let lease = params.lease {
      leases.add(session.hold, lease: .seconds(lease), sent: shared.loop.beginning(params.at, params.boot))
      names[session.hold] = session.name
    } else {
      forget(session.hold)
    }
    arm()
  }

  /// Whether a session's hold has a lease.
  func hasLease(_ session: HoldID) -> Bool { leases.contains(session) }

  /// Extends a session's lease.
  func renew(_ params: RenewNotification, _ session: Session) {
    leases.renew(
      session.hold, lease: .seconds(params.lease), sent: shared.loop.beginning(params.at, params.boot),
      at: shared.loop.bootTime)
    arm()
  }

  /// Ends a session's hold, if it has one (S23).
  func release(_ hold: HoldID) {
    guard forget(hold) else { return shared.release(hold) }
    arm()
    if shared.read({ $0.isHeld(by: hold) }) { try? shared.apply(.deactivated) }
  }

  /// Returns the name of another client that holds the app active with a lease.
  ///
  /// The lease of a hold that a client's `deactivate` has ended doesn't count.
  private func holder(otherThan session: Session) -> String? {
    names.first { other in other.key != session.hold && shared.read { $0.isHeld(by: other.key) } }?.value
  }

  @discardableResult
  private func forget(_ hold: HoldID) -> Bool {
    names[hold] = nil
    if shared.leader?.hold == hold { shared.leader = nil }
    return leases.remove(hold)
  }

  // MARK: Who decides

  /// Lets a client decide when the app is active, as long as it is connected.
  ///
  /// - Throws: an error that says that another client does.
  func manage(_ session: Session) throws(WireError) {
    if let manager, manager.id != session.id {
      throw WireError(.nameConflict, "cannot manage: \(described(manager)) does that already; end it first")
    }
    if manager == nil { shared.logger.info("\(session.name) decides when the app is active") }
    manager = session
  }

  /// Ends the management, if this client has it.
  func endManagement(of session: Session) {
    guard let manager, manager.id == session.id else { return }
    self.manager = nil
    shared.logger.info("\(session.name) no longer decides when the app is active")
  }

  /// Returns the name of the client that decides when the app is active, if that isn't this client, and no lease holds the app active.
  func absentManager(of session: Session) -> String? {
    guard let manager, manager.id != session.id, holder(otherThan: session) == nil else { return nil }
    return manager.name
  }

  private func checkManager(_ params: ActivateRequest, _ session: Session) throws(WireError) {
    guard let manager, manager.id != session.id, !params.force else { return }
    throw WireError(
      .nameConflict,
      "cannot activate: \(described(manager)) decides when the app is active; end it first, or force the activation (--force)"
    )
  }

  private func described(_ session: Session) -> String { "\(session.name) (connection \(session.id))" }

  private func arm() {
    guard let deadline = leases.nextDeadline else { return timer.stop() }
    timer.start(at: deadline) { [unowned self] in handleDeadline() }
  }

  private func handleDeadline() {
    for hold in leases.due(at: shared.loop.bootTime) {
      let name = names[hold] ?? "a client"
      forget(hold)
      // Someone may have deactivated the app, which ended all holds.
      guard shared.read({ $0.isHeld(by: hold) }) else { continue }
      shared.logger.warning("\(name) didn't renew the lease of its hold in time: the app is deactivated")
      try? shared.apply(.deactivated)
    }
    arm()
  }
}

extension Loop {
  /// Returns the time from which a lease counts, by the clock that also runs while the machine is suspended; now if the client gave no
  /// time.
  ///
  /// The client's message may have waited, or a process may have been stopped. `at` is a moment by CLOCK_MONOTONIC, `boot` by
  /// CLOCK_BOOTTIME.
  func beginning(_ at: Double?, _ boot: Double?) -> Instant {
    let now = bootTime
    if let boot { return min(now, .seconds(boot)) }
    return now - (at.map { max(.zero, self.now - .seconds($0)) } ?? .zero)
  }
}
