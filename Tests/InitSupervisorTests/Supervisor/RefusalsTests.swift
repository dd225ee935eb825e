import AppInitializers
import Glibc
import InitCore
import InitModel
import InitWire
import InitWords
import Logging
import TestSupport
import Testing

@testable import EventLoop
@testable import InitSupervisor
@testable import Platform

/// A running supervisor with failing system calls, two at a time.
@Suite("Supervisor with failing system calls")
struct RefusalsTests {
  /// The number of processes that share the pairs; each of them mostly waits.
  private static let parts = 4
  /// Waits for the processes.
  ///
  /// This blocks a thread for each, so it doesn't use the pool, whose threads all other tests share.
  private static let waiters = ThreadExecutor(name: "waiters")

  @Test(
    "For every pair of failing system calls, nothing traps, every pass ends, and no child, descriptor, handle or file is left",
    arguments: 0..<parts)
  func pairs(part: Int) async {
    _ = await withTaskExecutorPreference(RefusalsTests.waiters) {
      await #expect(processExitsWith: .success) { [part] in
        let play = Play()
        // On a busy machine a run may time out before it has begun; then it makes fewer system calls.
        let calls = try (0..<20).map { _ in try FaultInjection.refusing([], with: 0) { try play.once() } }.max() ?? 0
        #expect(calls > 60)
        let before = play.openDescriptors
        let pairs = (1...calls).flatMap { first in (first...calls).map { (first, $0) } }
        for (first, second) in pairs where (first + second) % RefusalsTests.parts == part {
          let pair: Set = [first, second]
          let errno = [EMFILE, ENOMEM, EIO][(first + second) % 3]
          do {
            _ = try FaultInjection.refusing(pair, with: errno) { try play.once() }
          } catch let error where error is SystemError || error is ListenerError {
            // It couldn't start, and reports that.
          } catch {
            Issue.record("\(pair.sorted()) refused with \(errno): \(error)")
          }
          let isAlone = waitpid(-1, nil, WNOHANG | __WALL) == -1 && Glibc.errno == ECHILD
          #expect(isAlone, "\(pair.sorted()) refused with \(errno): a child is left")
          #expect(play.openDescriptors == before, "\(pair.sorted()) refused with \(errno)")
          #expect(play.files.isSubset(of: ["s.lock"]), "\(pair.sorted()) refused with \(errno)")
        }
      }
    }
  }

  @Test("S13: a run whose output can't be read ends when its process has exited")
  func unreadableOutput() async {
    await #expect(processExitsWith: .success) {
      let children = Monitor<[Int?]>([])
      let logger = Logger(label: "initd") { _ in
        Listening { if $0.contains("cannot read its output") { children.withLock { $0.append(try? childCount()) } } }
      }
      let play = Play(isComplete: false, logger: logger)
      let calls = try FaultInjection.refusing([], with: 0) { try play.once() }
      for call in 1...calls { _ = try? FaultInjection.refusing([call], with: ENOMEM) { try play.once() } }
      // Each of the two pipes is made non-blocking, and watched. After any of these four failures, no process is left.
      let counts = children.withLock { $0 }
      #expect(counts == [0, 0, 0, 0], "\(counts)")
    }
  }

  @Test(
    "Without a thread for the program's initializers a supervisor doesn't start; if further threads fail, the initializers share the existing ones"
  )
  func threads() async {
    await #expect(processExitsWith: .success) {
      let executor = ThreadExecutor(name: "few")
      #expect(throws: SystemError.self) { _ = try FaultInjection.refusing([1], with: EAGAIN) { try executor.start() } }
      #expect(executor.threadCount == 0)
      try executor.start()
      try executor.start()
      #expect(executor.threadCount == 1)
      // Only the first of three simultaneous jobs gets a thread.
      var tasks: [Task<Void, Never>] = []
      _ = FaultInjection.refusing([1, 2, 3], with: EAGAIN) {
        for _ in 0..<3 { tasks.append(Task(executorPreference: executor) { usleep(1000) }) }
      }
      for task in tasks { await task.value }
      #expect(executor.threadCount == 1)
    }
  }
}

/// The number of children of the calling thread.
private func childCount() throws -> Int {
  let path = "/proc/thread-self/children"
  let file = Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC))
  return try file.contents(upTo: 4096, path).split(separator: UInt8(ascii: " ")).count
}

/// Collects log lines.
private struct Listening: LogHandler {
  let hear: @Sendable (String) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  init(_ hear: @escaping @Sendable (String) -> Void) { self.hear = hear }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { hear("\(event.message)") }
}

/// It didn't end.
private struct IsStuck: Error {
  /// The status of the play's initializers.
  let initializers: [String]
}

/// One execution of a supervisor, in the calling thread.
///
/// One command fails and is retried, one exceeds its timeout, and a deactivation cancels one. A worker's runs end in the same ways; the
/// last run ends only because its connection is closed. Another worker never connects. There is also an object.
private struct Play {
  /// Whether to use all of these, instead of one short command.
  var isComplete = true
  var logger = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }
  private let directory = TemporaryDirectory()

  var files: Set<String> { Set(directory.names) }
  var openDescriptors: Int { TemporaryDirectory.names(in: "/proc/self/fd").count }

  func once() throws {
    let loop = try Loop()
    let result = Result { try run(on: loop) }
    let closing = Result { try loop.close() }
    // If the supervisor didn't end, that is reported instead of the open handles.
    try result.get()
    try closing.get()
  }

  private func run(on loop: Loop) throws {
    let objects = isComplete ? [Scripted("object")] : []
    let supervisor = Supervisor(configuration, objects: objects, loop: loop, logger: logger)
    let isEnded = Monitor(false)
    try supervisor.assumeIsolated { supervisor in
      try supervisor.start {
        isEnded.withLock { $0 = true }
        loop.stop()
      }
    }
    let script = Script(supervisor, loop, path: isComplete ? directory["s"] : nil)
    let patience = Timer(loop: loop, name: "patience")
    patience.start(after: .seconds(Patience.seconds)) { loop.stop() }
    loop.run()
    patience.close()
    script.close()
    guard isEnded.withLock({ $0 }) else {
      throw IsStuck(
        initializers: supervisor.assumeIsolated { supervisor in
          supervisor.shared.read { machine in machine.initializers.map { "\($0.declaration.name) \($0.status)" } }
        })
    }
  }

  private var configuration: SupervisorConfiguration {
    var configuration = SupervisorConfiguration(socketPath: directory["s"])
    configuration.runtimeDirectory = directory.path
    configuration.environment = ["PATH": "/bin:/usr/bin"]
    configuration.activatesAtStart = true
    configuration.machine.cancelGrace = .milliseconds(4)
    configuration.machine.registrationTimeout = .milliseconds(2)
    configuration.machine.concurrency = 4
    let retry = InitCore.RetryPolicy(attempts: 2, delay: .milliseconds(1))
    let short = Duration.milliseconds(2)
    guard isComplete else {
      configuration.add(Declaration("short", isOptional: true), command: ["true"])
      return configuration
    }
    configuration.add(Declaration("stays", timeout: short, isOptional: true), command: ["sleep", "60"])
    configuration.add(Declaration("fails", retry: retry, isOptional: true), command: ["false"])
    configuration.add(worker: Declaration("refuses", retry: retry, isOptional: true))
    configuration.add(worker: Declaration("dawdles", timeout: short, isOptional: true))
    configuration.add(worker: Declaration("missing", isOptional: true))
    configuration.add(
      Declaration("active", priority: .appActive, dependencies: ["object"]), command: ["sleep", "60"])
    configuration.add(worker: Declaration("deaf", priority: .appActive))
    return configuration
  }
}

/// The steps of the test.
private final class Script {
  private let supervisor: Supervisor
  private let timer: EventLoop.Timer
  /// Nil once the client has disconnected.
  private var worker: Client?
  private var isDeafRunning = false
  private var isDeactivated = false

  /// With a worker if a path is given.
  init(_ supervisor: Supervisor, _ loop: Loop, path: String?) {
    self.supervisor = supervisor
    timer = Timer(loop: loop, name: "script")
    whileConnected {
      guard let path else { return }
      worker = try Client(path: path, saysHello: false)
      _ = try worker?.request(HelloRequest(client: HelloRequest.Program(name: "worker", version: "1")))
      let provided = ["refuses", "dawdles", "deaf"].map { RegisterRequest.Registration(name: $0) }
      _ = try worker?.request(RegisterRequest(initializers: provided))
    }
    go()
  }

  func close() {
    timer.close()
    worker?.close()
  }

  private func go() {
    timer.start(after: .milliseconds(1)) { [unowned self] in
      whileConnected { try work() }
      let (states, shapes) = supervisor.assumeIsolated { $0.shared.read { ($0.states, $0.initializers) } }
      if !isDeactivated {
        let running = shapes.filter { $0.status == .running }.map(\.declaration.name)
        // "active" runs alone if the worker has disconnected, or registered late: its names then need a new launch pass, which waits for
        // "active".
        let isAlone = running == ["active"] && (worker == nil || states.launch.state == .pending)
        if isDeafRunning || isAlone || (states.launch.state != .pending && states.active.state != .pending) {
          isDeactivated = true
          supervisor.assumeIsolated { $0.deactivate(because: "of the test") }
        }
      } else if !shapes.contains(where: { [.running, .stopping, .waiting].contains($0.status) }) {
        return supervisor.assumeIsolated { $0.shutDown(because: "of the test") }
      }
      go()
    }
  }

  /// Answers the requests: one run fails, one stops at its timeout, and other cancelled runs don't stop.
  private func work() throws {
    for message in try worker?.arrived() ?? [] {
      if let run = message.run, run.initializer == "refuses" {
        try worker?.finish(run, WireError(.internalError, "no"))
      }
      if let run = message.run, run.initializer == "deaf" { isDeafRunning = true }
      if let cancel = message.cancel, cancel.reason == .timeout {
        try worker?.finish(run: cancel.run, WireError(.cancelled, "stopped"))
      }
    }
  }

  private func whileConnected(_ body: () throws -> Void) {
    do { try body() } catch {
      worker?.close()
      worker = nil
    }
  }
}
