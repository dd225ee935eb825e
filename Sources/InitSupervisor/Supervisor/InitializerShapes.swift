internal import InitCore
internal import InitDeclarations
internal import InitModel
internal import InitRecords
internal import InitServer
internal import Platform
internal import WireConversions

/// The initializers as clients see them.
final class InitializerShapes {
  let shared: SupervisorContext
  private let broadcast: Broadcast
  private let records: Records
  private let coordination: Coordination
  /// The targets that initializers wait for, by their names (S31).
  private var waitsFor: [String: String] = [:]
  /// The texts of the last Status, by the initializers' names, without the initializers that have changed since then.
  private var kept: [String: InitializerText] = [:]

  init(_ shared: SupervisorContext, broadcast: Broadcast, records: Records, coordination: Coordination) {
    self.shared = shared
    self.broadcast = broadcast
    self.records = records
    self.coordination = coordination
    reload()
  }

  /// Takes over the configuration, at first and for a reload (S27).
  ///
  /// `keepsOld` is true if names that are about to be removed may still be shown.
  func reload(keepsOld: Bool = false) {
    let targets = shared.configuration.initializers.compactMap { each in
      each.probe.map { (each.declaration.name, "\($0.target)") }
    }
    let processes = shared.configuration.workers.compactMap { each in each.policy.ready.map { (each.name, "\($0)") } }
    let new = Dictionary(targets + processes) { first, _ in first }
    waitsFor = keepsOld ? waitsFor.merging(new) { $1 } : new
    forgetTexts()
  }

  /// All initializers as JSON texts, in the order of registration.
  ///
  /// Only initializers with a notification since the last Status are written again: each change has a notification.
  var texts: [InitializerText] {
    shared.read { $0.initializerNames }.compactMap { name in
      if let text = kept[name] { return text }
      guard let snapshot = shared.read({ $0.initializer(named: name) }) else { return nil }
      let text = InitializerText(shape(of: snapshot))
      kept[name] = text
      return text
    }
  }

  func forgetTexts() { kept = [:] }

  func shape(of snapshot: InitializerSnapshot) -> Initializer {
    var shape = records.launches.explained(coordination.shape(of: snapshot))
    records.log.processes.complete(&shape, grace: shared.configuration.machine.cancelGrace)
    if !waitsFor.isEmpty { shape.waitsFor = waitsFor[shape.name] }
    return shape
  }

  /// Reports to the subscribers that an initializer is removed.
  func publishRemoval(of snapshot: InitializerSnapshot) {
    kept[snapshot.declaration.name] = nil
    broadcast.publish(.initializerRemoved(shape(ofRemoved: snapshot)), to: Topics(.initializer))
  }

  private func shape(ofRemoved snapshot: InitializerSnapshot) -> Initializer {
    var shape = Initializer(snapshot, seconds: shared.clock.seconds)
    if !waitsFor.isEmpty { shape.waitsFor = waitsFor[shape.name] }
    return shape
  }

  /// Sends the current shape of an initializer to the subscribers.
  func publish(_ name: String) {
    guard shared.isKnown(name) else { return }
    kept[name] = nil
    // The shape is made only if there are subscribers.
    broadcast.publish(.initializer(shape(ofKnown: name)), to: Topics(.initializer))
  }

  private func shape(ofKnown name: String) -> Initializer {
    guard let snapshot = shared.read({ $0.initializer(named: name) }) else { preconditionFailure("unknown: \(name)") }
    return shape(of: snapshot)
  }

  /// Sends the shape of an initializer to the subscribers.
  func publish(_ snapshot: InitializerSnapshot) {
    kept[snapshot.declaration.name] = nil
    broadcast.publish(.initializer(shape(of: snapshot)), to: Topics(.initializer))
  }
}
