internal import InitClient
internal import Synchronization
internal import WebStatus

/// Asks the supervisor why something isn't ready: at most once a second for each name, for any number of clients.
actor Explainer {
  /// How long an answer is used.
  private static let age = Duration.seconds(1)
  /// How long an answer may take.
  private static let patience = Duration.seconds(2)
  /// The maximum number of names with a stored answer.
  private static let limit = 64

  private struct Answer {
    var asked: ContinuousClock.Instant
    var task: Task<Explained, any Error>
  }

  private let socket: String?
  private var client: SupervisorClient?
  private var answers: [String: Answer] = [:]

  init(socket: String?) { self.socket = socket }

  /// Returns the explanation of an initializer, or of readiness without a name.
  func explain(_ name: String? = nil) async throws -> Explained {
    let key = name ?? ""
    if let answer = answers[key], .now - answer.asked < Self.age { return try await answer.task.value }
    if answers.count >= Self.limit { answers = answers.filter { .now - $0.value.asked < Self.age } }
    guard answers.count < Self.limit else { throw Busy() }
    let task = Task {
      guard let explained = try await limited(to: Self.patience, { try await self.ask(name) }) else { throw Silence() }
      return explained
    }
    answers[key] = Answer(asked: .now, task: task)
    return try await task.value
  }

  private func ask(_ name: String?) async throws -> Explained {
    let client: SupervisorClient
    if let known = self.client {
      client = known
    } else {
      client = try await SupervisorClient.connect(at: socket, named: "initweb", within: .zero)
      self.client = client
    }
    return Explained(try await client.explanation(of: name.map { .initializer($0) } ?? .ready))
  }

  /// Requests for too many names are in progress.
  struct Busy: Error, CustomStringConvertible {
    let description = "too many different names are asked for; try again in a second"
  }

  /// The supervisor hasn't answered.
  struct Silence: Error, CustomStringConvertible {
    let description = "the supervisor hasn't answered within 2 s"
  }
}

extension Explained {
  init(_ explanation: Explanation) {
    self.init(
      name: explanation.name, status: explanation.status, since: explanation.since,
      usual: explanation.usual?.seconds, message: explanation.message, pid: explanation.pid,
      output: explanation.output.isEmpty ? nil : explanation.output, because: explanation.because.map(Explained.init))
  }
}
