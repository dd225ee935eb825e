internal import Etcd
internal import EventLoop
internal import Fleet
internal import InitClient
internal import InitJSON
internal import InitWire
internal import InitWords

/// Carries out orders to this host, from `initfleet activate` and `initfleet deactivate`.
actor OrderTaker {
  /// The loop as an executor.
  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let etcd: Etcd
  private let key: String
  private let states: HostStates
  /// The connection to the supervisor.
  private var client: Client?
  /// The last order that was taken.
  private var last = ""
  /// The task that waits for orders.
  private var watch: Task<Void, Never>?

  init(_ etcd: Etcd, _ keys: FleetKeys, host: String, states: HostStates) {
    loop = etcd.loop
    self.etcd = etcd
    key = keys.order(host)
    self.states = states
  }

  /// The connection to the supervisor is this one from now on, or is lost.
  func connect(_ client: Client?) { self.client = client }

  /// Begins a new watch: this one may be dead.
  func doubt() { watch?.cancel() }

  /// Carries out orders until the task is cancelled.
  func follow() async {
    while !Task.isCancelled {
      let watch = Task(executorPreference: loop) { await self.followOrders() }
      self.watch = watch
      await withTaskCancellationHandler {
        await watch.value
      } onCancel: {
        watch.cancel()
      }
      // Not all hosts at once.
      try? await Task.sleep(for: .milliseconds(Int.random(in: 300...1500)))
    }
  }

  /// Carries out orders as long as the watch lasts.
  private func followOrders() async {
    let range = EtcdRange(prefix: key)
    guard let (entries, revision) = try? await etcd.list(range) else { return }
    for entry in entries { handle(entry) }
    await states.verify()
    for await events in await etcd.changes(range, from: revision + 1, for: .seconds(Int.random(in: 45...75))) {
      for case .put(let entry) in events { handle(entry) }
    }
  }

  private func handle(_ entry: EtcdEntry) {
    guard let order = try? RawJSON(checking: entry.value).read(OrderRecord.self), order.id != last else { return }
    last = order.id
    Task(executorPreference: loop) {
      await self.report(OrderOutcome(id: order.id, .running))
      await self.report(await self.execute(order))
    }
  }

  private func report(_ outcome: OrderOutcome) async {
    if outcome.id == last { await states.publish { $0.order = outcome } }
  }

  private func execute(_ order: OrderRecord) async -> OrderOutcome {
    guard let client else { return OrderOutcome(id: order.id, .failed, message: "its supervisor doesn't answer") }
    do {
      switch order.action.known {
      case .activate:
        let pass = try await client.activate().pass
        let state = try await client.wait(WaitParams(for: .pass(pass), timeout: nil))
        if state.state == .complete { return OrderOutcome(id: order.id, .complete) }
        let reason = state.state == .cancelled ? "the activation was cancelled" : state.error?.message
        return OrderOutcome(id: order.id, .failed, message: reason ?? "the activation failed")
      case .deactivate:
        let cancelled = try await client.deactivate(wait: true).cancelled
        return OrderOutcome(id: order.id, .complete, cancelled: cancelled.isEmpty ? nil : cancelled)
      case nil:
        return OrderOutcome(
          id: order.id, .failed, message: "this agent doesn't know the order \"\(order.action.rawValue)\"; update it")
      }
    } catch {
      return OrderOutcome(id: order.id, .failed, message: "\(error)")
    }
  }
}
