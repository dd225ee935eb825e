import AppInitializers
import Glibc
import InitCore
import InitWire
import Logging
import Testing

@testable import InitSupervisor
@testable import Libuv

/// A supervisor at work is refused what it asks of the system, two questions at a time.
@Suite("What a supervisor is refused", .timeLimit(.minutes(10)))
struct RefusalsTests {
  /// All pairs of questions that are asked so close to each other: most of what goes wrong twice is about one command.
  private static let distance = 10
  /// How many of the pairs that are farther apart are drawn, with a seed.
  private static let sample = 500

  @Test(
    "Whatever two questions are refused, nothing traps, every pass ends, and no child, descriptor, handle or file is left"
  )
  func pairs() async {
    await #expect(processExitsWith: .success) {
      let play = Play()
      let questions = try Seam.refusing([], with: 0) { try play.once() }
      #expect(questions > 30)
      let before = play.openDescriptors
      var random = Steps(state: 9)
      var pairs: [Set<Int>] = []
      for first in 1...questions {
        pairs.append([first])
        for second in (first + 1)..<(first + 1 + RefusalsTests.distance) { pairs.append([first, second]) }
      }
      for _ in 0..<RefusalsTests.sample {
        pairs.append([Int.random(in: 1...questions, using: &random), Int.random(in: 1...questions, using: &random)])
      }
      for (number, pair) in pairs.enumerated() {
        let errno = [EMFILE, ENOMEM, EIO][number % 3]
        do {
          _ = try Seam.refusing(pair, with: errno) { try play.once() }
        } catch let error where error is SystemError || error is ListenerError {
          // It couldn't start, and says so.
        } catch {
          Issue.record("\(pair.sorted()) refused with \(errno): \(error)")
        }
        let isAlone = waitpid(-1, nil, WNOHANG) == -1 && Glibc.errno == ECHILD
        #expect(isAlone, "\(pair.sorted()) refused with \(errno): a child is left")
        #expect(play.openDescriptors == before, "\(pair.sorted()) refused with \(errno)")
        #expect(play.files.isSubset(of: ["s.lock"]), "\(pair.sorted()) refused with \(errno)")
      }
    }
  }

  @Test(
    "Without a thread for the program's initializers a supervisor doesn't start; without a further one they share those there are"
  )
  func threads() async {
    await #expect(processExitsWith: .success) {
      let executor = ThreadExecutor(name: "few")
      #expect(throws: SystemError.self) { _ = try Seam.refusing([1], with: EAGAIN) { try executor.start() } }
      #expect(executor.threadCount == 0)
      try executor.start()
      try executor.start()
      #expect(executor.threadCount == 1)
      // Of three jobs that come at once only the first finds a thread.
      var tasks: [Task<Void, Never>] = []
      _ = Seam.refusing([1, 2, 3], with: EAGAIN) {
        for _ in 0..<3 { tasks.append(Task(executorPreference: executor) { usleep(1000) }) }
      }
      for task in tasks { await task.value }
      #expect(executor.threadCount == 1)
    }
  }
}

/// Numbers that a seed decides.
private struct Steps: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 33)
  }
}

/// It didn't end.
private struct IsStuck: Error {}

/// One life of a supervisor, in the calling thread: a command that fails and is tried again, one that is stopped by its timeout, an object, and
/// one that is stopped by a deactivation in the middle; with a client.
private struct Play {
  private let directory = TemporaryDirectory()

  var files: Set<String> { Set(directory.names) }
  var openDescriptors: Int { TemporaryDirectory.names(in: "/proc/self/fd").count }

  func once() throws {
    let loop = try Loop()
    let result = Result { try run(on: loop) }
    try loop.close()
    try result.get()
  }

  private func run(on loop: Loop) throws {
    var configuration = SupervisorConfiguration(socketPath: directory["s"])
    configuration.runtimeDirectory = directory.path
    configuration.environment = ["PATH": "/bin:/usr/bin"]
    configuration.activatesAtStart = true
    configuration.machine.cancelGrace = .milliseconds(200)
    let retry = InitCore.RetryPolicy(attempts: 2, delay: .milliseconds(1))
    configuration.add(Declaration("fails", retry: retry, isOptional: true), command: ["false"])
    configuration.add(Declaration("stays", timeout: .milliseconds(5), isOptional: true), command: ["sleep", "60"])
    configuration.add(
      Declaration("active", priority: .appActive, dependencies: ["object"]), command: ["sleep", "60"])
    let logger = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }
    let supervisor = Supervisor(configuration, objects: [Scripted("object")], loop: loop, logger: logger)
    let isEnded = Monitor(false)
    try supervisor.assumeIsolated { supervisor in
      try supervisor.start {
        isEnded.withLock { $0 = true }
        loop.stop()
      }
    }
    let script = Script(supervisor, loop, path: directory["s"])
    let patience = Timer(loop: loop, name: "patience")
    patience.start(after: .seconds(30)) { loop.stop() }
    loop.run()
    patience.close()
    script.close()
    guard isEnded.withLock({ $0 }) else { throw IsStuck() }
  }
}

/// What happens to the supervisor, step by step.
private final class Script {
  private let supervisor: Supervisor
  private let timer: Libuv.Timer
  private var client: Descriptor?
  private var isDeactivated = false

  init(_ supervisor: Supervisor, _ loop: Loop, path: String) {
    self.supervisor = supervisor
    timer = Timer(loop: loop, name: "script")
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let client = Descriptor(owning: socket(AF_UNIX, type, 0))
    if SocketAddress(path: path)?.connect(client) == 0 { self.client = client }
    go()
  }

  func close() {
    timer.close()
    client?.close()
  }

  private func go() {
    timer.start(after: .milliseconds(1)) { [unowned self] in
      let (states, shapes) = supervisor.assumeIsolated { $0.read { ($0.states, $0.initializers) } }
      let isRunning = shapes.contains { [.running, .stopping, .waiting].contains($0.status) }
      if !isDeactivated {
        let active = shapes.first { $0.declaration.name == "active" }
        if active?.status == .running || (states.launch.state != .pending && states.active.state != .pending) {
          isDeactivated = true
          supervisor.assumeIsolated { $0.deactivate(because: "of the test") }
        }
      } else if !isRunning {
        client?.close()
        return supervisor.assumeIsolated { $0.shutDown(because: "of the test") }
      }
      go()
    }
  }
}
