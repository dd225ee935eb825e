import AppInitializers
import AppInitializersWorker
import Dispatch
import Glibc
import InitClient
import InitDeclarations
import InitModel
import InitSupervisor
import Logging
import Synchronization
import TestSupport
import Testing

/// A supervisor of this process, and workers that reach it over its socket.
@Suite("Worker")
struct WorkerTests {
  private let directory = TemporaryDirectory()
  private let quiet = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }
  private var path: String { directory["socket"] }

  private func supervisor(concurrency: Int = 1, _ others: [DeclaredInitializer] = []) async throws -> EmbeddedSupervisor
  {
    try await EmbeddedSupervisor.start(at: path, others: others, concurrency: concurrency, logger: quiet)
  }

  /// Waits until workers provide these names.
  private func waitForNames(_ names: [String], _ client: SupervisorClient) async throws {
    for try await event in client.events(.worker, .initializer) {
      guard case .snapshot = event.body else {
        if Set(try await client.status().workers.flatMap(\.initializers)) == Set(names) { return }
        continue
      }
      if Set(try await client.status().workers.flatMap(\.initializers)) == Set(names) { return }
    }
  }

  @Test("When its duration has passed, a worker unregisters its names and returns")
  func untilTimeIsUp() async throws {
    let supervisor = try await supervisor()
    try await Worker("shelf", serving: [Recorded("a", Calls())], at: path).run(until: .milliseconds(1))
    let client = try await SupervisorClient.connect(at: path)
    #expect(try await client.status().workers.isEmpty)
    #expect(try await client.status()["a"] == nil)
    await supervisor.shutDown()
  }

  @Test("Completed initializers are stopped in reverse order when the worker ends (S24)")
  func stops() async throws {
    let supervisor = try await supervisor([.worker("first"), .worker("second", dependencies: ["first"])])
    let calls = Calls()
    let worker = Worker(
      "shelf", serving: [Recorded("second", calls, after: ["first"]), Recorded("first", calls)], at: path)
    let serving = Task { try await worker.run() }
    try await supervisor.launched()
    #expect(calls.all == ["first runs", "second runs"])
    let client = try await SupervisorClient.connect(at: path)
    #expect(try await client.status().workers.map(\.client) == ["shelf"])
    serving.cancel()
    try await serving.value
    #expect(calls.all == ["first runs", "second runs", "second stops", "first stops"])
    #expect(try await client.status().workers.isEmpty)
    await supervisor.shutDown()
  }

  @Test("An initializer that has run again is stopped once, in the order of its last completion (S24, S26)")
  func stopsOnce() async throws {
    let supervisor = try await supervisor([.worker("first"), .worker("second", dependencies: ["first"])])
    let calls = Calls()
    let worker = Worker(
      "shelf", serving: [Recorded("second", calls, after: ["first"]), Recorded("first", calls)], at: path)
    let serving = Task { try await worker.run() }
    try await supervisor.launched()
    let client = try await SupervisorClient.connect(at: path)
    for pass in try await client.rerun("first") { try await client.wait(for: .pass(pass)) }
    serving.cancel()
    try await serving.value
    #expect(calls.all == ["first runs", "second runs", "first runs", "first stops", "second stops"])
    await supervisor.shutDown()
  }

  @Test(
    "A worker whose task is cancelled unregisters its names, cancels its runs and waits for them; launch doesn't fail (S13, S21)"
  )
  func cancelled() async throws {
    let supervisor = try await supervisor()
    let calls = Calls()
    let worker = Worker("shelf", serving: [Hanging("hangs", calls)], at: path)
    let serving = Task { try await worker.run() }
    await calls.contains("hangs runs")
    serving.cancel()
    try await serving.value
    #expect(calls.all == ["hangs runs", "hangs was asked to stop"])
    let client = try await SupervisorClient.connect(at: path)
    #expect(try await client.status()["hangs"] == nil)
    #expect(calls.cause == .unregistered)
    try await supervisor.launched()
    await supervisor.shutDown()
  }

  @Test(
    "A worker leaves after its grace without a run that doesn't stop; no stop() is called, as they may share state")
  func blocked() async throws {
    let supervisor = try await supervisor()
    let calls = Calls()
    let blocking = Blocking("blocks", calls)
    let worker = Worker("shelf", serving: [blocking, Recorded("a", calls)], at: path)
    let serving = Task { try await worker.run(cancelGrace: .milliseconds(20)) }
    await calls.contains("a runs")
    try await SupervisorClient.connect(at: path).activate()
    await calls.contains("blocks runs")
    serving.cancel()
    try await serving.value
    #expect(calls.all == ["a runs", "blocks runs"])
    #expect(try await SupervisorClient.connect(at: path).status().workers.isEmpty)
    blocking.end()
    await supervisor.shutDown()
  }

  @Test("A worker ends on the first of its signals, in order")
  func signalled() async throws {
    let supervisor = try await supervisor()
    let calls = Calls()
    let worker = Worker("shelf", serving: [Hanging("hangs", calls)], at: path)
    async let serving: Void = worker.run(endingOn: [SIGUSR1, SIGUSR2])
    await calls.contains("hangs runs")
    kill(getpid(), SIGUSR2)
    try await serving
    #expect(calls.all == ["hangs runs", "hangs was asked to stop"])
    #expect(try await SupervisorClient.connect(at: path).status().workers.isEmpty)
    await supervisor.shutDown()
  }

  @Test("A deactivation cancels the running object with its reason, before the object returns (S11, S13)")
  func deactivated() async throws {
    let supervisor = try await supervisor()
    let calls = Calls()
    let worker = Worker("shelf", serving: [Hanging("hangs", calls, .appActive)], at: path)
    let serving = Task { try await worker.run() }
    let client = try await SupervisorClient.connect(at: path)
    try await waitForNames(["hangs"], client)
    let pass = try await client.activate()
    await calls.contains("hangs runs")
    #expect(try await client.deactivate() == ["hangs"])
    #expect(calls.all == ["hangs runs", "hangs was asked to stop"])
    #expect(calls.cause == .deactivated)
    #expect(try await supervisor.outcome(ofPass: pass) == .cancelled)
    serving.cancel()
    _ = await serving.result
    await supervisor.shutDown()
  }

  @Test("A worker runs one initializer at a time by default, or several if its concurrency allows it")
  func concurrency() async throws {
    for places in [1, 2] {
      let supervisor = try await supervisor(concurrency: 4)
      let meeting = Meeting()
      let objects = [Meets("a", meeting), Meets("b", meeting)]
      let worker =
        places == 1
        ? Worker("one", serving: objects as [any AppInitializer], at: path)
        : Worker("two", serving: objects, concurrency: 2, at: path)
      let serving = Task { try await worker.run() }
      let client = try await SupervisorClient.connect(at: path)
      for name in ["a", "b"] { try await waitUntilKnown(name, client) }
      // With a concurrency of two, both wait for each other; with one, a run continues alone after a while.
      meeting.expects(places)
      try await client.activate()
      try await client.wait(for: .active)
      #expect(meeting.most == places)
      serving.cancel()
      _ = await serving.result
      await supervisor.shutDown()
    }
  }

  private func waitUntilKnown(_ name: String, _ client: SupervisorClient) async throws {
    for try await _ in client.events(.initializer) where try await client.status()[name] != nil { return }
  }

  @Test("A worker registers again when the supervisor has restarted")
  func restart() async throws {
    let first = try await supervisor()
    let calls = Calls()
    let worker = Worker("shelf", serving: [Recorded("a", calls)], at: path)
    let serving = Task { try await worker.run() }
    await calls.contains("a runs")
    await first.shutDown()
    let second = try await supervisor([.worker("a")])
    try await second.launched()
    #expect(calls.all == ["a runs", "a runs"])
    serving.cancel()
    _ = await serving.result
    await second.shutDown()
  }

  @Test("An invalid name and a name that is in use are errors that name the remedy")
  func names() async throws {
    let bad = Worker("shelf", serving: [Größe()], at: path)
    let unusable = await #expect(throws: SupervisorError.self) { try await bad.run() }
    #expect(unusable?.kind == .unusableName)
    #expect("\(unusable as Any)".contains("give the initializer a `name` of its own"))

    let twice = Worker("shelf", serving: [Recorded("a", Calls()), Recorded("a", Calls())], at: path)
    let conflict = await #expect(throws: SupervisorError.self) { try await twice.run() }
    #expect(conflict?.kind == .nameConflict)
    let dependent = Worker("shelf", serving: [Recorded("a", Calls(), after: ["no good"])], at: path)
    let unusableDependency = await #expect(throws: SupervisorError.self) { try await dependent.run() }
    #expect(unusableDependency?.kind == .unusableName)

    let empty = await #expect(throws: SupervisorError.self) { try await Worker("shelf", serving: [], at: path).run() }
    #expect("\(empty as Any)".contains("cannot serve shelf: it has no initializers"))

    let nobody = await #expect(throws: SupervisorError.self) {
      try await Worker("shelf", serving: [Recorded("a", Calls())], at: path).run(connectingWithin: .zero)
    }
    #expect(nobody?.kind == .unreachable)

    let supervisor = try await supervisor()
    let holder = Worker("holder", serving: [Recorded("a", Calls())], at: path)
    let holding = Task { try await holder.run() }
    try await waitForNames(["a"], try await SupervisorClient.connect(at: path))
    let taken = await #expect(throws: SupervisorError.self) {
      try await Worker("late", serving: [Recorded("a", Calls())], at: path).run()
    }
    #expect(taken?.kind == .nameConflict)
    holding.cancel()
    _ = await holding.result
    await supervisor.shutDown()
  }

  @Test(
    "An output that can't be encoded isn't passed to other processes: a dependent gets an error that names it (S25)")
  func outputs() async throws {
    let supervisor = try await EmbeddedSupervisor.start(
      at: path, others: [.worker("Opaque"), .worker("Shown", dependencies: ["Opaque"])], logger: quiet)
    let worker = Worker("shelf", serving: [Opaque(), Shown()], at: path)
    let serving = Task { try await worker.run() }
    let error = await #expect(throws: AppInitializationError.self) { try await supervisor.launched() }
    #expect("\(error as Any)".contains("Opaque"))
    serving.cancel()
    _ = await serving.result
    await supervisor.shutDown()
  }
}

/// The log of the objects, in order.
final class Calls: Sendable {
  private struct Content {
    var lines: [String] = []
    var cause: CancellationCause?
    var waiting: [(line: String, reader: CheckedContinuation<Void, Never>)] = []
  }

  private let content = Mutex(Content())

  var all: [String] { content.withLock { $0.lines } }
  var cause: CancellationCause? { content.withLock { $0.cause } }

  func add(_ line: String, cause: CancellationCause? = nil) {
    content.withLock { content in
      content.lines.append(line)
      content.cause = cause ?? content.cause
      for each in content.waiting where each.line == line { each.reader.resume() }
      content.waiting.removeAll { $0.line == line }
    }
  }

  /// Waits until the line is there.
  ///
  /// The function doesn't poll: the thread sanitizer doesn't understand a `Mutex` that is contended.
  func contains(_ line: String) async {
    await withCheckedContinuation { reader in
      content.withLock { content in
        if content.lines.contains(line) { reader.resume() } else { content.waiting.append((line, reader)) }
      }
    }
  }
}

/// Completes at once.
private final class Recorded: AppInitializer, Sendable {
  let name: String
  let priority = InitializerPriority.appLaunch
  let dependencyNames: [String]
  private let calls: Calls

  init(_ name: String, _ calls: Calls, after dependencyNames: [String] = []) {
    self.name = name
    self.calls = calls
    self.dependencyNames = dependencyNames
  }

  func run() async throws { calls.add("\(name) runs") }
  func stop() async { calls.add("\(name) stops") }
}

/// Runs until it is cancelled.
private final class Hanging: ContextualInitializer, Sendable {
  let name: String
  let priority: InitializerPriority
  private let calls: Calls

  init(_ name: String, _ calls: Calls, _ priority: InitializerPriority = .appLaunch) {
    self.name = name
    self.calls = calls
    self.priority = priority
  }

  func run(_ context: RunContext) async throws {
    calls.add("\(name) runs")
    while !Task.isCancelled { await Task.yield() }
    calls.add("\(name) was asked to stop", cause: context.cancellation)
  }
}

/// An initializer that blocks its thread, even when it is cancelled, until `end()`.
private final class Blocking: AppInitializer, Sendable {
  let name: String
  let priority = InitializerPriority.appActive
  private let calls: Calls
  private let gate = DispatchSemaphore(value: 0)

  init(_ name: String, _ calls: Calls) {
    self.name = name
    self.calls = calls
  }

  func run() async throws {
    calls.add("\(name) runs")
    block()
  }

  func stop() async { calls.add("\(name) stops") }
  func end() { gate.signal() }
  private func block() { gate.wait() }
}

/// Counts concurrent runs.
private final class Meeting: Sendable {
  private let content = Mutex((present: 0, most: 0, expected: 1))

  var most: Int { content.withLock { $0.most } }
  func expects(_ count: Int) { content.withLock { $0.expected = count } }

  func attend() async {
    content.withLock { content in
      content.present += 1
      content.most = max(content.most, content.present)
    }
    // With two places, both runs must be seen at once, however long that takes. With one place, no second run may be seen.
    var looks = 0
    while looks < 1000, content.withLock({ $0.most < $0.expected || $0.expected == 1 }) {
      await Task.yield()
      if content.withLock({ $0.expected == 1 }) { looks += 1 }
    }
    content.withLock { $0.present -= 1 }
  }
}

private final class Meets: AppInitializer, Sendable {
  let name: String
  let priority = InitializerPriority.appActive
  private let meeting: Meeting

  init(_ name: String, _ meeting: Meeting) {
    self.name = name
    self.meeting = meeting
  }
  func run() async throws { await meeting.attend() }
}

/// A type whose name the protocol doesn't allow.
private final class Größe: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

/// Returns an output that can't be encoded as JSON.
private final class Opaque: ContextualInitializer, Sendable {
  struct Handle: Sendable {}
  let priority = InitializerPriority.appLaunch
  func run(_ context: RunContext) async throws -> Handle { Handle() }
}

/// An initializer that depends on it.
private final class Shown: ContextualInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [Opaque.self]
  func run(_ context: RunContext) async throws { _ = try context.output(of: Opaque.self) }
}
