internal import EventLoop
internal import InitCore
internal import InitText
internal import InitWire
internal import Logging

/// Holds with a lease: when one ends, the app is deactivated, even if others hold it too.
///
/// `HoldLeases` decides when.
final class LeasedHolds: Component {
  let shared: Shared
  private var leases: HoldLeases
  private var names: [HoldID: String] = [:]
  private let timer: EventLoop.Timer

  init(_ shared: Shared) {
    self.shared = shared
    leases = HoldLeases(cancelGrace: shared.configuration.machine.cancelGrace)
    timer = Timer(loop: shared.loop, name: "holds")
  }

  /// Takes `cancelGrace` from the new configuration.
  func reload() {
    leases.set(cancelGrace: configuration.machine.cancelGrace)
    arm()
  }

  /// Checks the params of an activation.
  ///
  /// - Throws: why its lease can't be kept.
  func check(_ params: ActivateParams, _ session: Session) throws(WireError) {
    guard let lease = params.lease else { return }
    guard params.hold else {
      throw WireError(.invalidParams, "params.lease: must be given with \"hold\":true only")
    }
    guard .seconds(lease) > leases.least else {
      throw WireError(
        .invalidParams,
        "params.lease: must be longer than cancelGrace, \(shared.configuration.machine.cancelGrace.words), and 200 ms"
      )
    }
    guard left(of: lease, from: params.at) > leases.least else {
      throw WireError(.invalidRequest, "cannot activate: the lease had nearly ended when this was read")
    }
    // The lease of a hold that a client's `deactivate` has ended doesn't count.
    if let other = names.first(where: { other in other.key != session.hold && shared.read { $0.isHeld(by: other.key) } }
    )?
    .value {
      throw WireError(.nameConflict, "cannot activate: \(other) holds the app active with a lease; end that first")
    }
  }

  /// Adds the lease of a session that has activated the app.
  func activate(_ params: ActivateParams, _ session: Session) {
    guard params.hold else { return }
    if let lease = params.lease {
      leases.add(session.hold, lease: left(of: lease, from: params.at), at: loop.now)
      names[session.hold] = session.name
    } else {
      forget(session.hold)
    }
    arm()
  }

  /// Whether a session's hold has a lease.
  func hasLease(_ session: HoldID) -> Bool { leases.contains(session) }

  /// Extends a session's lease.
  func renew(_ params: RenewParams, _ session: Session) {
    leases.renew(session.hold, lease: left(of: params.lease, from: params.at), at: loop.now)
    arm()
  }

  /// Ends a session's hold, if it has one (S23).
  func release(_ hold: HoldID) {
    guard forget(hold) else { return shared.release(hold) }
    arm()
    if shared.read({ $0.isHeld(by: hold) }) { try? shared.apply(.deactivated) }
  }

  @discardableResult
  private func forget(_ hold: HoldID) -> Bool {
    names[hold] = nil
    return leases.remove(hold)
  }

  private func arm() {
    guard let deadline = leases.nextDeadline else { return timer.stop() }
    timer.start(at: deadline) { [unowned self] in handleDeadline() }
  }

  private func handleDeadline() {
    for hold in leases.due(at: loop.now) {
      let name = names.removeValue(forKey: hold) ?? "a client"
      // Someone may have deactivated the app, which ended all holds.
      guard shared.read({ $0.isHeld(by: hold) }) else { continue }
      logger.warning("\(name) didn't renew the lease of its hold in time: the app is deactivated")
      try? shared.apply(.deactivated)
    }
    arm()
  }
}
