internal import InitCore
internal import InitModel
internal import InitWire

/// The server for clients: sockets, connections, requests, and waits.
final class ClientServer: Component {
  let shared: Shared
  let connections: Connections
  let requests: Requests
  let waits: Waits
  let sockets: Sockets
  let reloads: Reloads
  private let heap: HeapTrimmer

  init(_ shared: Shared, broadcast: Broadcast, records: Records, execution: Execution, status: StatusSource) {
    self.shared = shared
    let holds = LeasedHolds(shared)
    heap = HeapTrimmer(shared)
    waits = Waits(shared, processes: execution.processes)
    requests = Requests(
      shared, broadcast: broadcast, waits: waits, holds: holds, execution: execution, records: records)
    connections = Connections(
      shared, line: TurnLine(shared, holds: holds, execution: execution), requests: requests, waits: waits,
      encoder: AnswerEncoder(shared, broadcast: broadcast, records: records, status: status), heap: heap)
    sockets = Sockets(shared, connections: connections, processes: execution.processes)
    reloads = Reloads(
      shared, records: records, execution: execution, connections: connections, holds: holds)
    requests.onReload = { [weak reloads] in reloads?.reload($0, of: $1, because: $2, then: $3) }
  }

  /// Answers the waits for a pass that has ended.
  func passEnded(_ pass: PassID, _ state: Status.State) {
    waits.answer(pass: pass, state)
    heap.passEnded()
  }

  /// Accepts no more connections, answers the waits that are settled, and notifies all clients that the supervisor has ended.
  func end() {
    sockets.stopAccepting()
    waits.settleAll()
    connections.end()
  }

  /// Stops the timers of the waits.
  ///
  /// The sockets are closed separately, because another supervisor may start as soon as they are free.
  func close() {
    waits.close()
    heap.close()
  }
}
