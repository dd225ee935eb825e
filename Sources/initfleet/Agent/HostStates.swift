internal import Etcd
internal import EventLoop
internal import Fleet
internal import InitClient
internal import InitJSON
internal import InitWire
internal import InitWords

/// The supervisor's states, which the agent publishes under its lease.
///
/// A change of a state is written at once; the running initializers are written at most every two seconds.
@ProgramLoop final class HostStates {
  /// The longest text of an error that is published.
  private static let errorLength = 300

  private let loop: Loop
  private let etcd: Etcd
  private let key: String
  private let keeper: LeaseKeeper
  private var record: HostRecord
  private let unpublished = Wakeup()
  /// The lease with which the record was published last.
  private var publishedLease: Int?
  /// Whether it was reported that another agent has the same name.
  private var hasReportedNamesake = false
  /// Whether it waits until it tries to publish again.
  private var isYielding = false

  nonisolated init(_ etcd: Etcd, _ keys: FleetKeys, _ keeper: LeaseKeeper, host: String, instance: String) {
    loop = etcd.loop
    self.etcd = etcd
    key = keys.host(host)
    self.keeper = keeper
    record = HostRecord(host: host, agent: instance, time: WallTime.now)
    record.trouble = "the agent has just started"
  }

  private func tryNameAgain() {
    isYielding = false
    unpublished.wake()
  }

  /// There is a new lease.
  func obtainedLease() { unpublished.wake() }

  /// Follows the supervisor's events until the connection ends.
  ///
  /// `onChange` is called with each change of an initializer.
  func follow(_ client: Client, onChange: @Sendable (InitializerShape) -> Void) async {
    do {
      let events = try await client.subscribe(to: Topic.defaults + [.lifecycle, .initializer])
      var running = Running(events.status)
      update(events.status, running)
      for try await event in events {
        switch event.params.body {
        case .snapshot(let status):
          running = Running(status)
          update(status, running)
        case .state(let state):
          publish {
            $0.lifecycle = state.lifecycle
            $0.launch = Self.cut(state.launch)
            $0.active = Self.cut(state.active)
            $0.composite = Self.cut(state.composite)
            $0.running = running.names
          }
        case .initializer(let initializer):
          running.update(initializer)
          onChange(initializer)
          guard record.running != running.names else { continue }
          record.running = running.names
          unpublished.wake(urgently: false)
        case .initializerRemoved(let initializer): running.remove(initializer.name)
        default: continue
        }
      }
    } catch {
      // The connection is lost, which the service reports.
    }
  }

  private func update(_ status: StatusShape, _ running: Running) {
    publish {
      $0.trouble = nil
      $0.lifecycle = status.lifecycle
      $0.launch = Self.cut(status.launch)
      $0.active = Self.cut(status.active)
      $0.composite = Self.cut(status.composite)
      $0.running = running.names
    }
  }

  private static func cut(_ state: StateShape) -> StateShape {
    var state = state
    if let message = state.error?.message, message.count > errorLength {
      state.error?.message = message.prefix(errorLength) + "…"
    }
    return state
  }

  /// Changes the published record.
  func publish(_ change: (inout HostRecord) -> Void) {
    change(&record)
    unpublished.wake()
  }

  /// Publishes the record whenever it has changed, until the task is cancelled.
  func keepPublished() async {
    while !Task.isCancelled {
      await unpublished.wait(loop)
      guard !Task.isCancelled, let lease = await keeper.lease else { continue }
      record.time = WallTime.now
      guard let value = try? record.json() else { continue }
      if await write(value, lease.id) { continue }
      unpublished.wake()
      try? await Task.sleep(for: .milliseconds(Int.random(in: 300...700)))
    }
  }

  /// Writes the record.
  ///
  /// False if etcd doesn't answer.
  private func write(_ value: [UInt8], _ lease: Int) async -> Bool {
    let put = EtcdOperation.put(key, value, lease: lease)
    do throws(EtcdError) {
      // The first time it takes the place of an agent of the same host that was killed.
      let isFirst = publishedLease != lease
      let outcome = try await etcd.transaction(
        if: isFirst ? [] : [.bound(key, lease: lease)], then: isFirst ? [.get(key), put] : [put], else: [.get(key)])
      if isFirst, let found = outcome.found(0) { reportNamesake(found) }
      if outcome.succeeded {
        publishedLease = lease
        hasReportedNamesake = false
      } else if outcome.found.first.flatMap({ $0 }) == nil {
        publishedLease = nil
        return false
      } else {
        yieldName()
      }
      return true
    } catch {
      // E.g. the lease has ended, which the keeper will notice.
      return false
    }
  }

  /// Writes the record again unless it is still this agent's.
  func verify() async {
    guard let lease = publishedLease else { return }
    let outcome = try? await etcd.transaction(if: [.bound(key, lease: lease)], then: [])
    if outcome?.succeeded == false { unpublished.wake() }
  }

  /// This agent takes the place of another one.
  private func reportNamesake(_ found: EtcdEntry) {
    guard let other = try? RawJSON(checking: found.value).read(HostRecord.self), other.agent != record.agent else {
      return
    }
    FleetConsole.complain(
      "this agent takes the place of another one named \(record.host), which hasn't ended in order; if it still runs, give each a name of its own with --host"
    )
  }

  /// Reports that another agent has this host's name.
  ///
  /// That agent's record stays until it ends.
  private func yieldName() {
    if !hasReportedNamesake {
      FleetConsole.complain(
        "another agent of this fleet is named \(record.host) too; give each a name of its own with --host, or end the other one"
      )
    }
    hasReportedNamesake = true
    guard !isYielding else { return }
    isYielding = true
    Task(executorPreference: loop) {
      try? await Task.sleep(for: self.keeper.timeToLive)
      await self.tryNameAgain()
    }
  }
}

/// The names of initializers that are running, and where, if they wait for another host.
private struct Running {
  private var all: [(name: String, text: String)] = []

  init(_ status: StatusShape) {
    for initializer in status.initializers { update(initializer) }
  }

  /// The first ones to start; nil if there are none.
  var names: [String]? { all.isEmpty ? nil : all.prefix(HostRecord.mostNames).map(\.text) }

  mutating func update(_ initializer: InitializerShape) {
    guard initializer.status == .running else { return remove(initializer.name) }
    let elsewhere = initializer.once.flatMap { $0.fence == nil ? initializer.progress?.message : nil }
    let text = elsewhere.map { "\(initializer.name) (\($0))" } ?? initializer.name
    if let place = all.firstIndex(where: { $0.name == initializer.name }) {
      all[place].text = text
    } else {
      all.append((initializer.name, text))
    }
  }

  mutating func remove(_ name: String) { all.removeAll { $0.name == name } }
}
