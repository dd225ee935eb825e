internal import Etcd
internal import Fleet

/// Follows the hosts and leaders of a fleet.
@FleetActor final class FleetFollower {
  private let fleet: FleetConnection
  /// The last known view; nil before etcd has answered.
  private(set) var view: FleetView?
  /// Why etcd can't be asked at the moment.
  private(set) var trouble: EtcdError?

  init(_ fleet: FleetConnection) { self.fleet = fleet }

  private var range: EtcdRange { EtcdRange(from: fleet.keys.hosts, to: fleet.keys.endOfStates) }

  /// Reads all hosts and leaders once.
  ///
  /// - Throws: `EtcdError`.
  func read() async throws(EtcdError) -> FleetView {
    try await list().view
  }

  /// Reads the state of the initializers that run once for a release.
  ///
  /// - Throws: `EtcdError`.
  func readOnce() async throws(EtcdError) -> [OnceStatus] {
    let entries = try await fleet.etcd.list(EtcdRange(prefix: fleet.keys.once)).entries
    return OnceStatus.list(entries.map { ($0.key, $0.value, $0.created) }, fleet.keys)
  }

  private func list() async throws(EtcdError) -> (view: FleetView, revision: Int) {
    let (entries, revision) = try await fleet.etcd.list(range)
    var view = FleetView(fleet.keys)
    for entry in entries { _ = view.update(entry.key, entry.value, created: entry.created) }
    return (view, revision)
  }

  /// Follows until `onChange` returns something.
  ///
  /// While etcd doesn't answer, this tries again, and logs that once.
  ///
  /// `onChange` is called first with all hosts as changes, then after each change, and occasionally without a change.
  func follow<Value: Sendable>(
    _ onChange: @FleetActor (FleetView, [FleetView.Change]) async throws -> Value?
  ) async throws -> Value {
    while true {
      try Task.checkCancellation()
      let (new, revision): (FleetView, Int)
      do throws(EtcdError) {
        (new, revision) = try await list()
      } catch {
        if error.isDenied || !error.mayPass { throw error }
        if trouble == nil { Console.complain("\(error); trying again") }
        trouble = error
        try await Task.sleep(for: .milliseconds(500))
        continue
      }
      trouble = nil
      let changes = new.changes(since: view)
      view = new
      if let value = try await onChange(new, changes) { return value }
      if let value = try await follow(after: revision, onChange) { return value }
      // E.g. another member is asked now; not all at once.
      try await Task.sleep(for: .milliseconds(Int.random(in: 100...400)))
    }
  }

  /// Follows as long as the watch lasts.
  private func follow<Value: Sendable>(
    after revision: Int, _ onChange: @FleetActor (FleetView, [FleetView.Change]) async throws -> Value?
  ) async throws -> Value? {
    var watch = fleet.etcd.watch(range, from: revision + 1).makeAsyncIterator()
    while true {
      let events: [EtcdEvent]?
      do { events = try await watch.next(isolation: #isolation) } catch { return nil }
      guard let events else { return nil }
      let changes = events.compactMap { event in
        switch event {
        case .put(let entry): view?.update(entry.key, entry.value, created: entry.created)
        case .deleted(let key, _): view?.update(key, nil)
        }
      }
      if !changes.isEmpty, let view, let value = try await onChange(view, changes) { return value }
    }
  }
}
