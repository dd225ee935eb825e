internal import AppInitializers
internal import Etcd
internal import Fleet
internal import InitClient

/// Carries out orders to this host, from `initfleet launch`, `activate` and `deactivate`.
@FleetActor final class OrderTaker {
  private let etcd: EtcdClient
  private let key: String
  private let socket: String?
  private let states: HostStates
  /// Whether the agent is connected to its supervisor.
  var isConnected = false {
    didSet { if isConnected { firstConnection.reach() } }
  }
  private let firstConnection = Milestone()
  /// The last order that was taken.
  private var last = ""

  init(_ etcd: EtcdClient, _ keys: FleetKeys, host: String, socket: String?, states: HostStates) {
    self.etcd = etcd
    key = keys.order(host)
    self.socket = socket
    self.states = states
  }

  /// Carries out orders until the task is cancelled.
  ///
  /// An order that is older than the agent waits until the agent is connected, or for 5 s.
  func follow() async {
    await firstConnection.wait(until: FleetClock.now + .seconds(5))
    while !Task.isCancelled {
      await followOrders()
      // Hosts ask at different times.
      try? await Task.sleep(for: .milliseconds(Int.random(in: 300...1500)))
    }
  }

  /// Carries out orders as long as the watch lasts.
  private func followOrders() async {
    let range = EtcdRange(prefix: key)
    guard let (entries, revision) = try? await etcd.list(range) else { return }
    for entry in entries { handle(entry) }
    await states.verify()
    do {
      for try await events in etcd.watch(range, from: revision + 1) {
        for case .put(let entry) in events { handle(entry) }
      }
    } catch {
      // The loop opens another watch.
    }
  }

  private func handle(_ entry: EtcdEntry) {
    guard let order = OrderRecord(json: entry.value), order.id != last else { return }
    last = order.id
    Task {
      report(OrderOutcome(id: order.id, .running))
      report(await execute(order))
    }
  }

  private func report(_ outcome: OrderOutcome) {
    if outcome.id == last { states.publish { $0.order = outcome } }
  }

  private func execute(_ order: OrderRecord) async -> OrderOutcome {
    guard isConnected else { return OrderOutcome(id: order.id, .failed, message: "its supervisor doesn't answer") }
    do {
      let client = try await SupervisorClient.connect(at: socket, named: "initfleet agent", within: .zero)
      let outcome = await execute(order, client)
      await client.close()
      return outcome
    } catch {
      return OrderOutcome(id: order.id, .failed, message: "\(error)")
    }
  }

  private func execute(_ order: OrderRecord, _ client: SupervisorClient) async -> OrderOutcome {
    do {
      switch order.action {
      case OrderRecord.launch:
        try await client.wait(for: .pass(try await client.launch()))
        return OrderOutcome(id: order.id, .complete)
      case OrderRecord.activate:
        try await client.wait(for: .pass(try await client.activate()))
        return OrderOutcome(id: order.id, .complete)
      case OrderRecord.deactivate:
        let cancelled = try await client.deactivate()
        return OrderOutcome(id: order.id, .complete, cancelled: cancelled.isEmpty ? nil : cancelled)
      default:
        return OrderOutcome(
          id: order.id, .failed, message: "this agent doesn't know the order \"\(order.action)\"; update it")
      }
    } catch let error as SupervisorError where error.kind == .nameConflict {
      // E.g. initfleet lead decides.
      let remedy = "(initctl activate --force, on that host)"
      return OrderOutcome(id: order.id, .failed, message: "\(error)".replacing("(--force)", with: remedy))
    } catch let error as SupervisorError where error.kind == .cancelled {
      return OrderOutcome(id: order.id, .failed, message: "the pass was cancelled")
    } catch {
      return OrderOutcome(id: order.id, .failed, message: "\(error)")
    }
  }
}
