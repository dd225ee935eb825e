import Fleet
import Testing

/// Candidates for a leadership in a made-up world, in which the seed decides everything.
///
/// The etcd of this world executes requests late, loses answers and ends leases. Supervisors refuse, hang, shut down and are killed. Users
/// end candidates without patience, and start them again. Only the test moves the clock.
private struct World {
  /// A host with its supervisor and its candidate.
  struct Host {
    var rule: Leadership
    var lease: HeldLease?
    /// The time until which the app may be active; nil if it is inactive.
    var active: Duration?
    /// The revision at which the key was created under which it is active.
    var fence = 0
    /// Whether this candidate's connection has the hold, so it can renew the hold and is notified of its end.
    var holds = false
    var watched: (keys: Set<String>, after: Int)?
    /// Whether the supervisor refuses to activate the app.
    var refuses = false
    /// The time until which the supervisor answers nothing.
    var hangs = Duration.zero
    var isOver = false
    /// The number of the candidate's process.
    var process = 0
    /// The time that the supervisor may need to stop everything.
    var cancelGrace = World.stop
  }

  /// A request that hasn't been executed, or whose answer hasn't arrived.
  struct Message {
    var host: Int
    /// The number of the process that has sent it: no answer reaches a later one.
    var process: Int
    var effect: Leadership.Effect
    /// The key of the candidate when the request was sent.
    var key: String
    /// Whether the request was reported as lost, and is executed nevertheless.
    var isLate = false
  }

  var random: SeededGenerator
  var now = Duration.zero
  var hosts: [Host]
  var messages: [Message] = []
  /// etcd: leases with their ends, and the candidates' keys with the revisions at which they were created.
  var leases: [Int: Duration] = [:]
  var keys: [String: (created: Int, lease: Int)] = [:]
  /// The revision of the last change of each key.
  var changes: [String: Int] = [:]
  var revision = 1
  /// Whether anything may fail.
  var hasFaults = true
  /// Descriptions of events that must never happen.
  var violations: [String] = []
  /// The fencing token of the last activation, and how many there were.
  var lastFence = 0
  var activations = 0

  static let timeToLive = Duration.seconds(4)
  /// How long runs take to stop.
  static let stop = Duration.seconds(2)

  init(seed: UInt64, hosts count: Int) {
    var random = SeededGenerator(seed)
    hosts = (0..<count).map { _ in Host(rule: Self.rule(&random)) }
    // A lease that must be fresh, and one that is always too short.
    hosts[1].cancelGrace = .milliseconds(2700)
    hosts[2].cancelGrace = seed % 4 == 0 ? .seconds(5) : .milliseconds(2800)
    self.random = random
    for host in hosts.indices { feed(host, .began) }
  }

  private static func rule(_ random: inout SeededGenerator) -> Leadership {
    Leadership("billing", timeToLive: timeToLive, seed: random.next())
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps where violations.isEmpty { step() }
  }

  private mutating func step() {
    now += .milliseconds(Int.random(in: 1...300, using: &random))
    expire()
    let host = Int.random(in: hosts.indices, using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0...17: deliver()
    case 18...25: renew(host)
    case 26: hosts[host].refuses.toggle()
    case 27: hosts[host].hangs = now + .milliseconds(Int.random(in: 0...8000, using: &random))
    case 28: loseLease(host)
    case 29: endHold(host)
    case 30: if hosts[host].watched != nil { feed(host, .changed) }
    case 31: if Int.random(in: 0..<4, using: &random) == 0 { cancel(host) }
    case 32: restart(host)
    default: tick(host)
    }
  }

  // MARK: Time

  private mutating func expire() {
    for (id, end) in leases where end <= now {
      leases[id] = nil
      for key in keys.keys where keys[key]?.lease == id { delete(key) }
    }
    for host in hosts.indices {
      // The supervisor has stopped everything without a request by then.
      if let end = hosts[host].active, end <= now {
        hosts[host].active = nil
        lose(host, .inactive("not renewed"))
      }
      if let lease = hosts[host].lease, lease.end <= now { loseLease(host) }
    }
  }

  private mutating func tick(_ host: Int) {
    if let due = hosts[host].rule.due, due <= now { feed(host, .passed) }
  }

  private mutating func loseLease(_ host: Int) {
    guard hosts[host].lease != nil else { return }
    hosts[host].lease = nil
    feed(host, .leaseChanged(nil, reason: "ended"))
  }

  private mutating func renew(_ host: Int) {
    guard !hosts[host].isOver else { return }
    // A lease that has ended can't be renewed.
    if let id = hosts[host].lease?.id, leases[id] == nil { return loseLease(host) }
    let id = hosts[host].lease?.id ?? Int.random(in: 1...1_000_000, using: &random)
    leases[id] = now + Self.timeToLive
    let lease = HeldLease(id: id, end: now + Self.timeToLive * 0.95, freshUntil: now + Self.timeToLive / 3)
    hosts[host].lease = lease
    feed(host, .leaseChanged(lease, reason: ""))
  }

  // MARK: The program

  /// Ends the candidate of a host at once.
  mutating func cancel(_ host: Int) { feed(host, .cancelled) }

  /// Starts a candidate that has ended again.
  private mutating func restart(_ host: Int) {
    guard hosts[host].isOver else { return }
    hosts[host].isOver = false
    hosts[host].process += 1
    hosts[host].lease = nil
    hosts[host].watched = nil
    hosts[host].rule = Self.rule(&random)
    feed(host, .began)
  }

  /// Starts all candidates that have ended again.
  mutating func restartAll() {
    for host in hosts.indices { restart(host) }
  }

  /// Ends the lease of a host.
  private mutating func giveUpLease(_ host: Int) {
    guard let id = hosts[host].lease?.id else { return }
    let fence = hosts[host].fence
    if let active = hosts[host].active, keys.values.contains(where: { $0 == (fence, id) }) {
      violations.append("host \(host) gives up its lease, and is active until \(active)")
    }
    leases[id] = nil
    for key in keys.keys where keys[key]?.lease == id { delete(key) }
  }

  // MARK: The supervisor

  /// Begins to stop the app of a host.
  private mutating func deactivate(_ host: Int) {
    hosts[host].active = hosts[host].active.map { min($0, now + Self.stop) }
  }

  /// Ends the hold, and notifies its candidate.
  private mutating func lose(_ host: Int, _ loss: Leadership.Loss) {
    guard hosts[host].holds else { return }
    hosts[host].holds = false
    feed(host, .lost(loss))
  }

  /// Ends the hold, for any reason.
  private mutating func endHold(_ host: Int) {
    guard hosts[host].holds else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      deactivate(host)
      lose(host, .inactive("it failed"))
    case 1:
      hosts[host].active = nil
      lose(host, .shutdown)
    case 2:
      hosts[host].active = nil
      lose(host, .connection("killed"))
    // A supervisor without a connection keeps the app active until the end of the hold.
    default: lose(host, .connection("lost"))
    }
  }

  /// Whether the supervisor answers nothing.
  private func isSilent(_ host: Int) -> Bool { now < hosts[host].hangs }

  private mutating func hold(_ host: Int, until end: Duration, _ fence: Int, isLost: Bool) {
    if isSilent(host) { return feed(host, .refused(.unreachable("silent"))) }
    guard !hosts[host].refuses else { return feed(host, .refused(.other("no"))) }
    // The supervisor refuses a hold that has ended.
    guard end > now + hosts[host].cancelGrace + LeaseTerms.margin, hosts[host].active == nil else {
      return feed(host, .refused(.other("too late")))
    }
    if !keys.values.contains(where: { $0.created == fence }) {
      violations.append("host \(host) activates its app without a key")
    }
    if fence <= lastFence { violations.append("host \(host) has the token \(fence), after \(lastFence)") }
    lastFence = max(lastFence, fence)
    activations += 1
    hosts[host].active = end
    hosts[host].fence = fence
    hosts[host].holds = true
    checkEnd(of: host)
    guard isLost || hosts[host].isOver else { return feed(host, .held) }
    // The supervisor has also lost the connection, so it drops the hold.
    hosts[host].holds = false
    deactivate(host)
    feed(host, .refused(.unanswered("lost")))
  }

  /// Checks the laws that hold whenever an app is activated, or its hold is renewed.
  private mutating func checkEnd(of host: Int) {
    guard let end = hosts[host].active else { return }
    let lease = keys.values.first { $0.created == hosts[host].fence }?.lease
    if end > (lease.flatMap { leases[$0] } ?? .zero) { violations.append("host \(host) is active for too long") }
    let others = hosts.indices.filter { $0 != host && hosts[$0].active != nil }
    if !others.isEmpty { violations.append("host \(host) and \(others) are active at the same time") }
  }

  // MARK: etcd

  /// Executes a request or delivers its answer, in any order; the answer may get lost.
  private mutating func deliver() {
    guard !messages.isEmpty else { return }
    let message = messages.remove(at: Int.random(in: messages.indices, using: &random))
    let isLost = hasFaults && Int.random(in: 0..<6, using: &random) == 0
    let isExecuted = !isLost || Bool.random(using: &random)
    let host = message.host
    if message.isLate { return execute(message.effect, message.key) }
    if message.process != hosts[host].process {
      if isExecuted { execute(message.effect, message.key) }
      return
    }
    if isLost, !isExecuted, Bool.random(using: &random) {
      var late = message
      late.isLate = true
      messages.append(late)
    }
    switch message.effect {
    case .findSupervisor:
      let isFound = !isSilent(host) && !isLost
      feed(host, isFound ? .supervisorFound(cancelGrace: hosts[host].cancelGrace) : .supervisorMissing)
    case .campaign(let lease):
      if isExecuted { execute(message.effect, message.key) }
      // etcd refuses a lease that has ended.
      let isRefused = leases[lease] == nil && keys[message.key] == nil
      feed(host, isLost || isRefused ? .unanswered : .listed(list(for: message.key), revision: revision))
    case .delete:
      if isExecuted { execute(message.effect, message.key) }
      feed(host, isLost ? .unanswered : .deleted)
    case .hold(let end, let fence): hold(host, until: end, fence, isLost: isLost)
    case .deactivate:
      if isSilent(host) || isLost { return feed(host, .notStopped) }
      hosts[host].holds = false
      deactivate(host)
      // The request is answered when everything has stopped.
      if hosts[host].active != nil { messages.append(message) } else { feed(host, .stopped) }
    default: return
    }
  }

  /// Executes a request to etcd.
  private mutating func execute(_ effect: Leadership.Effect, _ key: String) {
    switch effect {
    case .campaign(let lease): put(key, lease)
    case .delete(let created): if keys[key]?.created == created { delete(key) }
    default: break
    }
  }

  private mutating func put(_ key: String, _ lease: Int) {
    guard keys[key] == nil, leases[lease] != nil else { return }
    revision += 1
    keys[key] = (revision, lease)
    record(key)
  }

  private mutating func delete(_ key: String) {
    keys[key] = nil
    revision += 1
    record(key)
  }

  private mutating func record(_ key: String) {
    changes[key] = revision
    for host in hosts.indices where hosts[host].watched?.keys.contains(key) == true { feed(host, .changed) }
  }

  private func list(for own: String) -> [Leadership.Candidacy] {
    keys.map { Leadership.Candidacy(key: $0.key, created: $0.value.created, isOwn: $0.key == own) }
  }

  // MARK: The candidate

  private mutating func feed(_ host: Int, _ event: Leadership.Event) {
    for effect in hosts[host].rule.handle(event, at: now) { carryOut(effect, host) }
  }

  private mutating func send(_ effect: Leadership.Effect, _ host: Int, key: String = "") {
    messages.append(Message(host: host, process: hosts[host].process, effect: effect, key: key))
  }

  private mutating func carryOut(_ effect: Leadership.Effect, _ host: Int) {
    // The key is bound to the campaign's lease.
    switch effect {
    case .campaign(let lease): send(effect, host, key: "\(lease)")
    case .delete(let created): send(effect, host, key: keys.first { $0.value.created == created }?.key ?? "")
    case .hold, .findSupervisor, .deactivate: send(effect, host)
    case .follow(let names, let after):
      hosts[host].watched = (Set(names), after)
      // The key may have changed before the candidate followed it.
      if names.contains(where: { (changes[$0] ?? 0) > after }) { feed(host, .changed) }
    case .stopFollowing: hosts[host].watched = nil
    case .prolong: if !hasFaults || Bool.random(using: &random) { renew(host) }
    case .renew(let end):
      guard hosts[host].holds, !isSilent(host) else { return }
      hosts[host].active = max(end, now)
      checkEnd(of: host)
    case .drop:
      // The supervisor deactivates the app when the connection that has the hold is closed.
      if hosts[host].holds { deactivate(host) }
      hosts[host].holds = false
    case .abandonLease: loseLease(host)
    case .giveUpLease: giveUpLease(host)
    case .end(let misfit):
      hosts[host].isOver = true
      if misfit.map({ LeaseTerms(timeToLive: Self.timeToLive).fits(cancelGrace: $0) }) ?? false {
        violations.append("host \(host) ends for good, although a fresh lease is long enough")
      }
    case .allow, .say, .warn: break
    }
  }

  /// Ends all faults, and lets everything come to rest.
  mutating func settle(until isReached: (World) -> Bool) -> Bool {
    hasFaults = false
    for host in hosts.indices {
      hosts[host].refuses = false
      hosts[host].hangs = now
    }
    for _ in 0..<2000 where violations.isEmpty {
      if isReached(self) { return true }
      now += .milliseconds(100)
      expire()
      for host in hosts.indices {
        if let lease = hosts[host].lease, lease.freshUntil > now {} else { renew(host) }
        tick(host)
      }
      deliver()
      deliver()
    }
    return false
  }

  /// The hosts whose app is active.
  var active: [Int] { hosts.indices.filter { hosts[$0].active != nil } }

  /// Ends the candidate of a host.
  mutating func resign(_ host: Int) { feed(host, .resigned) }
}

@Suite("Random histories of a leadership")
struct LeadershipHistoryTests {
  @Test("One app is active at a time, with a larger token each time, and when the faults end somebody leads")
  func histories() {
    var activations = 0
    for seed in 1...400 as ClosedRange<UInt64> {
      var world = World(seed: seed, hosts: 3)
      world.run(steps: 600)
      world.restartAll()
      let leads = world.settle { $0.active.count == 1 }
      #expect(world.violations == [], "seed \(seed)")
      #expect(leads, "seed \(seed): nobody leads")
      activations += world.activations
    }
    // The histories would prove nothing without many changes of the leader.
    #expect(activations > 2000)
  }

  @Test("When all candidates resign, each ends, and no app is active")
  func resignations() {
    for seed in 1...100 as ClosedRange<UInt64> {
      var world = World(seed: seed, hosts: 3)
      world.run(steps: 300)
      for host in world.hosts.indices { world.resign(host) }
      if seed % 2 == 0 {
        // Users are impatient.
        world.run(steps: 10)
        for host in world.hosts.indices { world.cancel(host) }
      }
      let isOver = world.settle { $0.hosts.allSatisfy(\.isOver) && $0.active.isEmpty }
      #expect(world.violations == [], "seed \(seed)")
      #expect(isOver, "seed \(seed): a candidate hasn't ended, or an app is active")
    }
  }
}
