internal import InitCore
internal import InitWire

/// The initializers as clients see them.
final class InitializerShapes: Component {
  let shared: Shared
  private let broadcast: Broadcast
  private let records: Records
  private let coordination: Coordination

  init(_ shared: Shared, broadcast: Broadcast, records: Records, coordination: Coordination) {
    self.shared = shared
    self.broadcast = broadcast
    self.records = records
    self.coordination = coordination
  }

  /// The shape of an initializer.
  func shape(of snapshot: InitializerSnapshot) -> InitializerShape {
    var shape = records.launches.explained(coordination.shape(of: snapshot))
    records.log.processes.complete(&shape, grace: configuration.machine.cancelGrace)
    return shape
  }

  /// Sends the shape of an initializer to the subscribers.
  func publish(_ snapshot: InitializerSnapshot) {
    broadcast.publish(.initializer(shape(of: snapshot)), topics: CollectionOfOne(.initializer))
  }
}
