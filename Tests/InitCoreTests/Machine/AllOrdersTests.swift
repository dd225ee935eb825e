import FoundationEssentials
import InitWords
import Testing

@testable import InitCore

/// Explores every order of events in a small world, breadth first: visits each state once, and checks the laws of the naive world.
///
/// Without a depth, the search continues until there is no new state, so the laws hold for sequences of any length. With
/// `INITCORE_WHOLE` set, no world has a depth; this takes about ten minutes.
@Suite("All orders of events in small worlds")
struct AllOrdersTests {
  /// A worker that connects and disconnects.
  struct Visitor {
    var worker: WorkerID
    var process: Int32?
    var registrations: [Registration]
  }

  struct SmallWorld: CustomTestStringConvertible {
    var testDescription: String
    var declared: [(Declaration, ProviderKind)]
    var visitors: [Visitor] = []
    var configuration = Machine.Configuration(launchesAtStart: false, acceptsWorkers: true)
    var hasHolds = false
    /// Whether an operator cancels runs.
    var hasOperator = false
    /// Initializers that are run again, each alone and with its dependents.
    var reruns: [String] = []
    /// Further manifests, which replace each other in turn.
    var reloads: [Reload] = []
    /// The maximum number of events; `nil` to continue until there is no new state.
    var depth: Int?
  }

  static let worlds: [SmallWorld] = [
    SmallWorld(
      testDescription: "conditions of a command, a worker's initializer and an active one",
      declared: [
        (launch("l1").condition(), .command), (launch("l2", "l1").condition(), .worker),
        (active("a1", "l2").condition(), .command), (active("a2", "a1"), .command),
      ],
      visitors: [Visitor(worker: 1, process: 100, registrations: [Registration("l2")])], depth: 10),
    SmallWorld(
      testDescription: "a worker provides a launch and an active initializer",
      declared: [
        (launch("l1"), .command), (launch("l2", "l1"), .worker), (active("a1", "l2"), .command),
        (active("a2", "a1"), .worker),
      ],
      visitors: [Visitor(worker: 1, process: 100, registrations: [Registration("l2"), Registration("a2")])]),
    SmallWorld(
      testDescription: "a worker registers undeclared names, with a concurrency of two",
      declared: [(launch("l1", "w"), .command), (active("a1", "l1"), .command), (active("a2"), .command)],
      visitors: [Visitor(worker: 1, process: 100, registrations: [Registration("w")])],
      configuration: .init(concurrency: 2, launchesAtStart: false, acceptsWorkers: true), depth: 10),
    SmallWorld(
      testDescription: "two processes take turns with a perProcess initializer",
      declared: [(launch("l1"), .command), (launch("l2"), .worker), (active("a1", "l2"), .command)],
      visitors: [
        Visitor(worker: 1, process: 100, registrations: [Registration("l2", isPerProcess: true)]),
        Visitor(worker: 2, process: 200, registrations: [Registration("l2", isPerProcess: true)]),
      ], depth: 9),
    SmallWorld(
      testDescription: "an initializer with a timeout and a retry, and an optional one",
      declared: [
        (launch("l1").timeout(.seconds(3)).retry(2), .command), (launch("l2", "l1").optional(), .command),
        (active("a1", "l1"), .command), (active("a2").timeout(.seconds(3)).retry(2).optional(), .command),
      ],
      configuration: .init(concurrency: 2, launchesAtStart: false), depth: 12),
    SmallWorld(
      testDescription: "an operator cancels runs and delays",
      declared: [
        (launch("l1").timeout(.seconds(3)).retry(2), .command), (launch("l2").optional(), .command),
        (active("a1", "l2").optional().retry(2), .command),
      ],
      configuration: .init(concurrency: 2, launchesAtStart: false), hasOperator: true, depth: 9),
    SmallWorld(
      testDescription: "initializers run again",
      declared: [
        (launch("l1"), .command), (launch("l2", "l1"), .command), (active("a1", "l2"), .command),
        (active("a2", "a1"), .command),
      ],
      configuration: .init(concurrency: 2, launchesAtStart: false), reruns: ["l1", "a1"], depth: 9),
    SmallWorld(
      testDescription: "the manifest changes",
      declared: [(launch("l1"), .command), (launch("l2", "l1"), .command), (active("a1", "l1"), .command)],
      configuration: .init(concurrency: 2, launchesAtStart: false),
      reloads: [
        Reload(changed: [.init(launch("l1"), .command, isOfWork: true)]),
        Reload(changed: [.init(launch("l1"), .command, isOfWork: true)], withDependents: true),
        Reload(
          added: [.init(active("a2", "a1"), .command)], changed: [.init(active("a1", "l1"), .command, isOfWork: true)],
          removed: ["l2"]),
        Reload(added: [.init(launch("l2", "l1"), .command)], removed: ["a2"]),
      ], depth: 9),
    SmallWorld(
      testDescription: "processes end, and dependents of one of them run again",
      declared: [
        (launch("p1"), .process), (launch("l1", "p1"), .command), (launch("p2").rerunningDependents(), .process),
        (launch("l2", "p2", "l1"), .command), (active("a1", "p2"), .command),
      ],
      configuration: .init(concurrency: 2, launchesAtStart: false), depth: 9),
    SmallWorld(
      testDescription: "two connections with holds",
      declared: [
        (launch("l1"), .command), (launch("l2", "l1"), .command), (active("a1", "l2"), .command),
        (active("a2"), .command),
      ],
      configuration: .init(launchesAtStart: false), hasHolds: true),
    SmallWorld(
      testDescription: "passes keep going after a failure, with a concurrency of two",
      declared: [
        (launch("l1").timeout(.seconds(3)), .command), (launch("l2", "l1"), .command), (launch("l3"), .command),
        (active("a1", "l2"), .command), (active("a2").optional(), .command), (active("a3", "a2"), .command),
      ],
      configuration: .init(concurrency: 2, launchesAtStart: false, keepsGoing: true)),
    SmallWorld(
      testDescription: "some are skipped, and others aren't selected",
      declared: [
        (launch("l1"), .command), (launch("l2", "l1"), .command), (launch("l3"), .command),
        (active("a1", "l2", "w"), .command), (active("a2", "l3"), .command), (active("a3", "a1"), .command),
      ],
      visitors: [
        Visitor(worker: 1, process: 100, registrations: [Registration("w", priority: .appActive, dependencies: ["l3"])])
      ],
      configuration: selection, depth: 10),
    SmallWorld(
      testDescription: "some start after the end of others, with a concurrency of two",
      declared: [
        (launch("l1").after("l2", "a1"), .command), (launch("l2", "l3").optional(), .command),
        (launch("l3").optional().retry(2), .command), (active("a1").after("a2", "l1"), .command),
        (active("a2"), .command),
      ],
      configuration: .init(concurrency: 2, launchesAtStart: false), reruns: ["l3"],
      reloads: [Reload(changed: [.init(launch("l1").after("l3"), .command, isOfWork: false)])], depth: 9),
    SmallWorld(
      testDescription: "a group with one place, and a concurrency of three",
      declared: [
        (launch("l1").timeout(.seconds(3)).retry(2).group("g"), .command), (launch("l2"), .command),
        (launch("l3").group("g"), .command), (active("a1").group("g"), .command), (active("a2", "a1"), .command),
      ],
      configuration: groups, depth: 12),
  ]

  private static var groups: Machine.Configuration {
    var configuration = Machine.Configuration(concurrency: 3, launchesAtStart: false)
    configuration.groups = ["g": 1]
    return configuration
  }

  private static var selection: Machine.Configuration {
    var configuration = Machine.Configuration(concurrency: 2, launchesAtStart: false, acceptsWorkers: true)
    configuration.skipped = ["l2"]
    configuration.only = ["a3"]
    return configuration
  }

  @Test("no order of events breaks a law", arguments: worlds)
  func everyOrder(_ small: SmallWorld) throws {
    let isWhole = ProcessInfo.processInfo.environment["INITCORE_WHOLE"] != nil
    let limit = isWhole ? Int.max : small.depth ?? Int.max
    var seen: Set<Machine> = []
    var frontier = [(NaiveWorld(small.configuration, declared: small.declared), [Event]())]
    var edges = 0
    var depth = 0
    while depth < limit, !frontier.isEmpty {
      var next: [(NaiveWorld, [Event])] = []
      for (world, path) in frontier {
        for event in events(of: small, in: world) {
          edges += 1
          guard let reached = try step(world, event, path),
            seen.insert(reached.machine.relative(to: reached.now)).inserted
          else { continue }
          next.append((reached, path + [event]))
        }
      }
      frontier = next
      depth += 1
    }
    let end = frontier.isEmpty ? "nothing new comes" : "there is more"
    print("\(small.testDescription): \(seen.count) states, \(edges) edges, \(depth) events deep, then \(end)")
    #expect(depth >= 9 && seen.count > 1_000)
    #expect(frontier.isEmpty || limit != .max)
  }

  private func step(_ world: NaiveWorld, _ event: Event, _ path: [Event]) throws -> NaiveWorld? {
    var world = world
    if event == .timePassed, let deadline = world.machine.nextDeadline { world.now = max(world.now, deadline) }
    do {
      try world.take(event)
    } catch is Refusal {
      return nil
    } catch {
      throw Broken(description: "\(error), after \(path.map { "\($0)" }.joined(separator: ", ")), then \(event)")
    }
    return world
  }

  private func events(of small: SmallWorld, in world: NaiveWorld) -> [Event] {
    var events: [Event] = [.launched, .activated(hold: nil), .deactivated, .shutdownRequested]
    if small.hasHolds { events += [.activated(hold: 1), .activated(hold: 2), .holdReleased(1), .holdReleased(2)] }
    for name in small.reruns {
      events += [false, true].map { .rerunRequested([name], withDependents: $0) }
    }
    events += small.reloads.map { .reloaded($0) }
    if small.hasOperator { events += small.declared.map { .runsCancelled([$0.0.name], by: "ops") } }
    for visitor in small.visitors {
      let names = visitor.registrations.map(\.name)
      events.append(.workerRegistered(visitor.worker, process: visitor.process, visitor.registrations))
      events.append(.workerUnregistered(by: visitor.worker, names))
      events.append(.workerUnregistered(by: nil, names))
      if world.workers[visitor.worker] != nil { events.append(.workerDisconnected(visitor.worker)) }
    }
    for (declaration, kind) in small.declared where kind == .process { events.append(.processEnded(declaration.name)) }
    for check in world.checks.keys.sorted() {
      events += [.conditionChecked(check: check, unmet: nil), .conditionChecked(check: check, unmet: "no")]
    }
    for run in world.runs.keys.sorted() {
      events += [.runFinished(run: run, .success), .runFinished(run: run, .failure(.exit(status: 1)))]
    }
    if let late = world.over.last { events.append(.runFinished(run: late, .success)) }
    if world.machine.nextDeadline != nil { events.append(.timePassed) }
    return events
  }
}
