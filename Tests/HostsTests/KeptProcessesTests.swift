import AppInitializers
import Glibc
import InitClient
import InitDeclarations
import InitModel
import InitRunner
import InitSupervisor
import InitWords
import Logging
import TestSupport
import Testing

/// Tests what a Swift client sees of the processes that a supervisor keeps running.
@Suite("Kept processes")
struct KeptProcessesTests {
  private let directory = TemporaryDirectory()
  private let quiet = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }

  private func supervisor(_ workers: DeclaredWorker..., burst: Int? = nil) async throws -> EmbeddedSupervisor {
    var configuration = try SupervisorConfiguration.ofThisProcess(socketPath: directory["socket"])
    configuration.workers = workers
    if let burst { configuration.limits.runs.workerBurst = burst }
    return try await EmbeddedSupervisor.start(configuration, logger: quiet)
  }

  /// Returns the process, once it has that status.
  private func first(
    _ client: SupervisorClient, where isMeant: (Status.Process) -> Bool
  ) async throws -> Status.Process {
    while true {
      if let process = try await client.status().processes?.first(where: isMeant) { return process }
      await Task.yield()
    }
  }

  @Test("The status lists them from their start on, and each change is an event")
  func running() async throws {
    let supervisor = try await supervisor(
      DeclaredWorker(
        "shelf", command: Command(["sleep", "3600"]),
        backoff: RetryPolicy(attempts: 2, delay: .seconds(3600), maxDelay: .seconds(3600))))
    let client = try await SupervisorClient.connect(at: supervisor.socketPath)
    var events = client.events(.worker, .lifecycle).makeAsyncIterator()
    guard case .snapshot(let status) = try await events.next()?.body, let shelf = status.processes?.first else {
      Issue.record("no snapshot with a process")
      return
    }
    #expect(status.processes?.map(\.name) == ["shelf"])
    #expect(shelf.uptime.map { $0 >= 0 } == true)
    #expect(shelf.restarts == 0 && shelf.lastExit == nil && shelf.nextStart == nil && !shelf.givenUp)

    let pid = try #require(shelf.pid)
    kill(pid_t(pid), SIGKILL)
    let ended = try await first(client) { $0.pid == nil }
    #expect(ended.uptime == nil && ended.restarts == 0 && ended.lastExit == .signal("SIGKILL") && !ended.givenUp)
    #expect(ended.nextStart.map { $0 > 1e9 } == true)

    // The activation ends the backoff: the process starts at once.
    try await client.activate()
    var told: [Status.Process] = []
    while told.last?.pid == nil, let event = try await events.next() {
      switch event.body {
      case .process(let process): told.append(process)
      case .state: break
      default: Issue.record("\(event)")
      }
    }
    #expect(told.first == ended && told.count == 2)
    #expect(told.last?.restarts == 1 && told.last?.pid != nil)
    await supervisor.shutDown()
  }

  @Test("One that has ended by itself shows its exit status; one that was given up says so")
  func over() async throws {
    let supervisor = try await supervisor(
      DeclaredWorker("once", command: Command(["true"]), restart: .never),
      DeclaredWorker("broken", command: Command(["sh", "-c", "exit 3"])), burst: 1)
    let client = try await SupervisorClient.connect(at: supervisor.socketPath)
    let once = try await first(client) { $0.name == "once" && $0.pid == nil }
    #expect(once.lastExit == .exit(status: 0))
    #expect(!once.givenUp && once.nextStart == nil)
    let broken = try await first(client) { $0.givenUp }
    #expect(broken.name == "broken")
    #expect(broken.lastExit == .exit(status: 3))
    await supervisor.shutDown()
  }
}
