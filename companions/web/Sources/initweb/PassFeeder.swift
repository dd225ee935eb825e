internal import InitClient
internal import InitModel
internal import Logging
internal import Passes
internal import Synchronization

/// Asks the supervisor for passes that have ended, and hands each of them on once, in order.
///
/// No other type asks for passes. It has a connection of its own, so a long answer delays no ping and no event.
final class PassFeeder: Sendable {
  /// Uses passes; the next passes wait until it returns.
  typealias Consumer = @Sendable ([EndedPass]) async -> Void

  /// The pause between two questions, because an answer about several passes costs a supervisor less than several answers.
  private static let pause = Duration.milliseconds(500)
  /// The pause if the supervisor could forget passes in the meantime.
  private static let shortPause = Duration.milliseconds(100)

  /// The pause after a failure.
  private static let failurePause = Duration.seconds(5)

  private struct State {
    var feed = PassFeed()
    /// Wakes the loop; nil while no loop runs.
    var wake: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())
  private let logger: Logger
  private let consumers: [Consumer]

  init(logger: Logger, consumers: [Consumer]) {
    self.logger = logger
    self.consumers = consumers
  }

  /// How many passes weren't handed on.
  var missed: Int { state.withLock { $0.feed.missed } }

  /// Records what an event reports about passes.
  func note(_ event: Status.Event) {
    state.withLock { state in
      switch event.body {
      case .snapshot(let status): state.feed.begin(instance: status.instance)
      case .pass(let pass) where [.complete, .failed, .cancelled].contains(pass.status.known): state.feed.end(pass.pass)
      default: return
      }
      state.wake?.yield()
    }
  }

  /// Asks whenever passes have ended, until the task is cancelled.
  func run(at socket: String?) async throws {
    let (wakeUps, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.wake = wake }
    wake.yield()
    var client: SupervisorClient?
    var reported: String?
    for await _ in wakeUps {
      while let question = state.withLock({ $0.feed.ask() }) {
        do {
          if client == nil { client = try await .connect(at: socket, named: "initweb", within: .zero) }
          guard let client else { return }
          let records = try await client.history(limit: question.limit)
          // The client may have connected to another supervisor in the meantime.
          guard try await client.instance() == question.instance else {
            state.withLock { $0.feed.fail(question) }
            break
          }
          let passes = records.compactMap { EndedPass($0, instance: question.instance) }
          var new = state.withLock { $0.feed.take(passes, answering: question) }
          for index in new.indices { await Self.addOutput(to: &new[index], from: client) }
          if !new.isEmpty { for consumer in consumers { await consumer(new) } }
          reported = nil
        } catch {
          state.withLock { $0.feed.fail(question) }
          if Task.isCancelled { return }
          // If the supervisor has ended, other code notices it. The supervisor may only have closed this connection.
          client = nil
          // Logs each reason once, not at each attempt.
          let reason = "\(error)"
          if reason != reported { logger.warning("cannot get the passes that have ended: \(reason)") }
          reported = reason
          try await Task.sleep(for: Self.failurePause)
          continue
        }
        try await pauseBetweenQuestions()
      }
    }
  }

  /// The maximum number of initializers of a pass whose output is asked for.
  private static let mostOutputs = 16
  /// How long each answer may take: the output only explains a pass.
  private static let patience = Duration.seconds(2)

  /// Adds the last lines that the failed runs of a pass wrote, if the supervisor still has them.
  private static func addOutput(to pass: inout EndedPass, from client: SupervisorClient) async {
    var output: [Int: [String]] = [:]
    let (number, failed) = (pass.number, Set(pass.runs.filter { $0.outcome == .failed }.map(\.initializer)))
    for name in failed.sorted().prefix(mostOutputs) {
      let lines = try? await limited(to: patience) { try await client.output(of: name, inPass: number) }
      guard let lines else { break }
      output.merge(lines) { first, _ in first }
    }
    // The client may have connected to another supervisor in the meantime.
    guard !output.isEmpty, (try? await client.instance()) == pass.instance else { return }
    for index in pass.runs.indices where pass.runs[index].outcome == .failed {
      pass.runs[index].output = output[pass.runs[index].number] ?? []
    }
  }

  /// Sleeps until it is time for the next question.
  private func pauseBetweenQuestions() async throws {
    let end = ContinuousClock.now + Self.pause
    repeat { try await Task.sleep(for: Self.shortPause) } while .now < end && !state.withLock(\.feed.isUrgent)
  }
}
