import AppInitializers
import AppInitializersWorker
import InitClient
import InitSupervisor
import Logging
import Synchronization
import TestSupport
import Testing

/// The trace context of a run, in each host.
@Suite("Traces")
struct TraceTests {
  private let directory = TemporaryDirectory()
  private let quiet = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }
  private var path: String { directory["socket"] }

  @Test("The runs of a supervisor's objects and of its workers belong to the trace of their pass")
  func supervised() async throws {
    let traces = Traces()
    let supervisor = try await EmbeddedSupervisor.start(
      at: path, initializers: [Traced("own", traces)], others: [.worker("served", dependencies: ["own"])],
      logger: quiet)
    let serving = Task {
      try await Worker("shelf", serving: [Traced("served", traces, after: ["own"])], at: path).run()
    }
    try await supervisor.launched()
    serving.cancel()
    try await serving.value
    let own = try #require(traces["own"])
    let served = try #require(traces["served"])
    #expect(own.hasPrefix("00-") && own.count == 55 && served.count == 55)
    #expect(own.prefix(36) == served.prefix(36))
    #expect(own != served)
    await supervisor.shutDown()
  }

  @Test("A manager without a supervisor has no traces")
  func alone() async throws {
    let traces = Traces()
    let manager = InitManager([Traced("own", traces)])
    try await manager.launched()
    #expect(traces["own"] == nil)
  }
}

/// The trace contexts of the runs so far.
private final class Traces: Sendable {
  private let content = Mutex<[String: String]>([:])

  subscript(name: String) -> String? {
    get { content.withLock { $0[name] } }
    set { content.withLock { $0[name] = newValue } }
  }
}

/// Records the trace context of its run.
private final class Traced: ContextualInitializer, Sendable {
  let name: String
  let priority = InitializerPriority.appLaunch
  let dependencyNames: [String]
  private let traces: Traces

  init(_ name: String, _ traces: Traces, after dependencies: [String] = []) {
    self.name = name
    self.traces = traces
    self.dependencyNames = dependencies
  }

  func run(_ context: RunContext) async throws { traces[name] = context.traceparent }
}
