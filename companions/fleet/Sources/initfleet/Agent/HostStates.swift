internal import Etcd
internal import Fleet
internal import InitClient
internal import InitModel
internal import InitWords
internal import Logging

/// The supervisor's states, which the agent publishes under its lease.
///
/// A change of a state is written at once; the running initializers are written at most every two seconds.
@FleetActor final class HostStates {
  private let etcd: EtcdClient
  private let key: String
  private let keeper: LeaseKeeper
  private let logger: Logger
  private var record: HostRecord
  private let unpublished = Wakeup()
  /// The lease with which the record was published last.
  private var publishedLease: Int?
  /// Whether the log says that another agent has the same name.
  private var hasReportedNamesake = false
  /// Why the log says that the states aren't published; nil if they are.
  private var reportedTrouble: String?
  /// Tries to publish again while another agent has the name.
  private let namesakeAlarm = Alarm()
  /// Checks the published record.
  private let checkAlarm = Alarm()
  /// Whether the lease must be kept even if the record can't be replaced.
  var isLeaseNeeded: @FleetActor () -> Bool = { false }

  init(
    _ etcd: EtcdClient, _ keys: FleetKeys, _ keeper: LeaseKeeper, host: String, instance: String, _ logger: Logger
  ) {
    self.etcd = etcd
    key = keys.host(host)
    self.keeper = keeper
    self.logger = logger
    record = HostRecord(host: host, agent: instance, time: WallTime.now)
    record.trouble = "the agent has just started"
  }

  /// Handles a possibly new lease.
  func changedLease() { if keeper.lease?.id != publishedLease { unpublished.wake() } }

  /// Follows the supervisor's events until the task is cancelled.
  ///
  /// `completions` gets the events too. `onChange` is called with each change of an initializer. `isExecuting` reports whether an initializer
  /// that runs once for a release is executed here.
  func follow(
    _ socket: String?, _ completions: CompletionFollower, onChange: @FleetActor (Initializer) -> Void,
    isExecuting: @FleetActor (Initializer) -> Bool
  ) async {
    let topics: [Topic] = Topic.defaults + [.lifecycle, .initializer]
    var running = RunningNames()
    func update(_ initializer: Initializer) {
      // An initializer that waits has the coordinator's message.
      let waits = initializer.once != nil && initializer.progress?.message != nil && !isExecuting(initializer)
      running.update(initializer, waits: waits)
      onChange(initializer)
    }
    do {
      for try await event in SupervisorEvents(topics, at: socket, named: "initfleet agent") {
        guard !Task.isCancelled else { return }
        completions.handle(event)
        switch event.body {
        case .snapshot(let status):
          running = RunningNames()
          for initializer in status.initializers { update(initializer) }
          publish {
            $0.set(status, running)
            $0.release = status.initializers.compactMap(\.once?.release).first
          }
        case .state(let states): publish { $0.set(states, running) }
        case .initializer(let initializer):
          update(initializer)
          if let release = initializer.once?.release, release != record.release { publish { $0.release = release } }
          guard record.running != running.here || record.waiting != running.waiting else { continue }
          record.running = running.here
          record.waiting = running.waiting
          unpublished.wake(urgently: false)
        case .initializerRemoved(let initializer): running.remove(initializer.name)
        default: continue
        }
      }
    } catch {
      // The coordinator's connection is also lost, which is reported.
    }
  }

  /// Changes the published record.
  func publish(_ change: (inout HostRecord) -> Void) {
    change(&record)
    unpublished.wake()
  }

  /// Publishes the record whenever it has changed, until the task is cancelled.
  func keepPublished() async {
    while !Task.isCancelled {
      await unpublished.wait()
      guard !Task.isCancelled, let lease = keeper.lease else { continue }
      record.time = WallTime.now
      if await write(record.json(), lease.id) { continue }
      unpublished.wake()
      try? await Task.sleep(for: .milliseconds(Int.random(in: 300...700)))
    }
  }

  /// Writes the record; returns false if etcd doesn't answer.
  private func write(_ value: [UInt8], _ lease: Int) async -> Bool {
    let put = EtcdOperation.put(key, value, lease: lease)
    do throws(EtcdError) {
      // At the first time, the record replaces that of an agent of the same host that was killed.
      let isFirst = publishedLease != lease
      let outcome = try await etcd.transaction(
        if: isFirst ? [] : [.bound(key, lease: lease)], then: isFirst ? [.get(key), put] : [put], else: [.get(key)])
      if isFirst, let found = outcome.found(0) { reportNamesake(found) }
      if outcome.succeeded {
        if reportedTrouble != nil { logger.info("the states of this host are published again") }
        reportedTrouble = nil
        publishedLease = lease
        hasReportedNamesake = false
        checkSoon()
      } else if outcome.found(0) == nil {
        publishedLease = nil
        return false
      } else {
        yieldName()
      }
      return true
    } catch {
      report(error)
      await withdraw(because: error)
      return false
    }
  }

  /// Reports why the states aren't published, once for each reason.
  private func report(_ error: EtcdError) {
    // The keeper reports that etcd doesn't answer, and notices the end of the lease. Denied access is reported elsewhere.
    guard case .refused(_, let kind) = error, !error.isDenied, kind != .noLease else { return }
    guard reportedTrouble != error.words else { return }
    reportedTrouble = error.words
    logger.warning("the states of this host aren't published: \(error.words); trying again")
  }

  /// Ends the published record, because etcd refuses another one: the host would otherwise count as ready by a state that it had earlier.
  private func withdraw(because error: EtcdError) async {
    // While etcd doesn't answer, the lease isn't renewed either.
    guard let lease = publishedLease, lease == keeper.lease?.id else { return }
    if error.isFull {
      // A full etcd doesn't refuse a deletion.
      let deletion = try? await etcd.transaction(if: [.bound(key, lease: lease)], then: [.delete(key)])
      if deletion != nil, publishedLease == lease { publishedLease = nil }
    } else if !error.mayPass, !isLeaseNeeded() {
      // Only the end of its lease deletes a key to which etcd denies access.
      keeper.abandon()
    }
  }

  /// Writes the record again unless it is still this agent's, and ends it if etcd doesn't allow access to it any more.
  func verify() async {
    guard let lease = publishedLease else { return }
    do throws(EtcdError) {
      let outcome = try await etcd.transaction(if: [.bound(key, lease: lease)], then: [])
      if !outcome.succeeded { unpublished.wake() }
    } catch {
      await withdraw(because: error)
    }
    checkSoon()
  }

  /// Verifies the record after the time of a lease.
  ///
  /// A host whose states don't change would otherwise never notice that it has lost its permission. Any member answers that without the
  /// others, and writes nothing.
  private func checkSoon() {
    let pause = keeper.timeToLive * Double.random(in: 0.9...1)
    checkAlarm.set(FleetClock.now + pause) { [weak self] in Task { await self?.verify() } }
  }

  /// Reports that this agent replaces another agent with the same name.
  private func reportNamesake(_ found: EtcdEntry) {
    guard let other = HostRecord(json: found.value), other.agent != record.agent else { return }
    logger.warning(
      "this agent takes the place of another one named \(record.host), which hasn't ended in order; if it still runs, give each a name of its own with --host"
    )
  }

  /// Leaves the name to another agent, whose record stays until that agent ends, and reports that.
  private func yieldName() {
    if !hasReportedNamesake {
      logger.warning(
        "another agent of this fleet is named \(record.host) too; give each a name of its own with --host, or end the other one"
      )
    }
    hasReportedNamesake = true
    namesakeAlarm.set(FleetClock.now + keeper.timeToLive) { [unpublished] in unpublished.wake() }
  }
}

extension HostRecord {
  fileprivate mutating func set(_ status: Status, _ running: RunningNames) {
    hasActivePhase = status.initializers.contains { $0.priority == .appActive }
    set(status.isActive, status.launch, status.active, status.composite, running)
  }

  fileprivate mutating func set(_ change: Status.Event.StateChange, _ running: RunningNames) {
    set(change.lifecycle == .active, change.launch, change.active, change.composite, running)
  }

  private mutating func set(
    _ isActive: Bool, _ launch: Status.State, _ active: Status.State, _ composite: Status.State,
    _ running: RunningNames
  ) {
    trouble = nil
    lifecycle = isActive ? "active" : "inactive"
    self.launch = PhaseRecord(launch)
    self.active = PhaseRecord(active)
    self.composite = PhaseRecord(composite)
    self.running = running.here
    waiting = running.waiting
  }
}

extension PhaseRecord {
  /// The longest text of an error that is published.
  private static let errorLength = 300

  init(_ state: Status.State) {
    switch (state.state.known, state.error) {
    case (.complete, _): self = .complete
    case (.failed, let error?):
      let message = error.message
      let isLong = message.count > Self.errorLength
      self.init(
        .failed,
        error: Failure(
          initializer: error.initializer, message: isLong ? message.prefix(Self.errorLength) + "…" : message))
    default: self = .pending
    }
  }
}

/// The names of initializers that are running here, or wait for another host.
private struct RunningNames {
  private var all: [(name: String, waits: Bool)] = []

  /// The first initializers that run here; nil if there are none.
  var here: [String]? { names { !$0 } }

  /// The first initializers that wait for another host; nil if there are none.
  ///
  /// The progress of that host isn't part of the record: it is in the key of its claim, and otherwise each waiting host would write it
  /// again.
  var waiting: [String]? { names { $0 } }

  private func names(_ isIncluded: (_ waits: Bool) -> Bool) -> [String]? {
    let names = all.filter { isIncluded($0.waits) }.prefix(HostRecord.mostNames).map(\.name)
    return names.isEmpty ? nil : names
  }

  mutating func update(_ initializer: Initializer, waits: Bool) {
    guard initializer.status == .running else { return remove(initializer.name) }
    if let place = all.firstIndex(where: { $0.name == initializer.name }) {
      all[place].waits = waits
    } else {
      all.append((initializer.name, waits))
    }
  }

  mutating func remove(_ name: String) { all.removeAll { $0.name == name } }
}
