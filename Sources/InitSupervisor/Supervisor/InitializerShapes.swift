internal import InitCore
internal import InitWire

/// The initializers as clients see them.
final class InitializerShapes: Component {
  let shared: Shared
  private let broadcast: Broadcast
  private let records: Records
  private let coordination: Coordination
  /// What initializers wait for, by their names (S31).
  private let waitsFor: [String: String]

  init(_ shared: Shared, broadcast: Broadcast, records: Records, coordination: Coordination) {
    self.shared = shared
    self.broadcast = broadcast
    self.records = records
    self.coordination = coordination
    let targets = shared.configuration.initializers.compactMap { each in
      each.probe.map { (each.declaration.name, "\($0.target)") }
    }
    let processes = shared.configuration.workers.compactMap { each in each.ready.map { (each.name, "\($0)") } }
    waitsFor = Dictionary(targets + processes) { first, _ in first }
  }

  /// The shape of an initializer.
  func shape(of snapshot: InitializerSnapshot) -> InitializerShape {
    var shape = records.launches.explained(coordination.shape(of: snapshot))
    records.log.processes.complete(&shape, grace: configuration.machine.cancelGrace)
    if !waitsFor.isEmpty { shape.waitsFor = waitsFor[shape.name] }
    return shape
  }

  /// Sends the shape of an initializer to the subscribers.
  func publish(_ snapshot: InitializerSnapshot) {
    broadcast.publish(.initializer(shape(of: snapshot)), topics: CollectionOfOne(.initializer))
  }
}
