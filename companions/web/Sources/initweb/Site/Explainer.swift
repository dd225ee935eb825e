internal import InitClient
internal import InitModel
internal import Passes
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

  /// An overview, and the position in the stream of events before it: events after it may be in it already.
  struct Positioned: Sendable {
    var overview: Overview
    var position: String
  }

  private struct Answer<Value: Sendable> {
    var asked: ContinuousClock.Instant
    var instance: String?
    var task: Task<Value, any Error>

    /// Whether it can be used for this supervisor.
    func isFresh(for instance: String?) -> Bool { .now - asked < age && self.instance == instance }
  }

  private let socket: String?
  private var client: SupervisorClient?
  private var answers: [String: Answer<Explained>] = [:]
  private var overview: Answer<Positioned>?

  init(socket: String?) { self.socket = socket }

  /// Returns the explanation of an initializer of a supervisor, or of readiness without a name.
  func explain(_ name: String? = nil, of instance: String?) async throws -> Explained {
    let key = name ?? ""
    if let answer = answers[key], answer.isFresh(for: instance) { return try await answer.task.value }
    if answers.count >= Self.limit { answers = answers.filter { $0.value.isFresh(for: instance) } }
    guard answers.count < Self.limit else { throw Busy() }
    let task = ask(instance) { client in
      Explained(try await client.explanation(of: name.map { .initializer($0) } ?? .ready))
    }
    answers[key] = Answer(asked: .now, instance: instance, task: task)
    return try await task.value
  }

  /// Returns an overview of a supervisor; `position` is the present position in the stream of events.
  func overview(of instance: String, at position: String) async throws -> Positioned {
    if let overview, overview.isFresh(for: instance) { return try await overview.task.value }
    let task = ask(instance) { client in
      Positioned(overview: Overview(try await client.overview()), position: position)
    }
    overview = Answer(asked: .now, instance: instance, task: task)
    return try await task.value
  }

  private func ask<Value: Sendable>(
    _ instance: String?, _ question: @escaping @Sendable (SupervisorClient) async throws -> Value
  ) -> Task<Value, any Error> {
    Task {
      let answer = try await limited(to: Self.patience) { try await question(self.connected(to: instance)) }
      guard let answer else { throw Silence() }
      return answer
    }
  }

  /// Returns a connection to this supervisor: the one that is open may lead to an earlier one, which lives on.
  private func connected(to instance: String?) async throws -> SupervisorClient {
    if let client, try await client.instance() == instance { return client }
    let new = try await SupervisorClient.connect(at: socket, named: "initweb", within: .zero)
    let old = client
    client = new
    await old?.close()
    return new
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

extension Overview {
  init(_ overview: SupervisorOverview) {
    let current = Dictionary(overview.status.initializers.compactMap { each in each.run.map { (each.name, $0) } }) {
      first, _ in first
    }
    // The passes are a little newer than the status.
    let attempts = overview.retryingPasses.flatMap(\.runs).compactMap { run -> (String, Attempt)? in
      guard let duration = run.duration, run.run < current[run.initializer] ?? 0 else { return nil }
      return (run.initializer, Attempt(run: run.run, started: run.started, duration: duration))
    }
    self.init(
      document: StatusDocument(Picture(overview.status)), why: Explained(overview.explanation),
      details: overview.details, failedOutput: overview.failedOutput,
      attempts: Dictionary(grouping: attempts, by: \.0).mapValues { $0.map(\.1) })
  }
}

extension Explained {
  init(_ explanation: Explanation) {
    self.init(
      name: explanation.name, status: explanation.status, since: explanation.since,
      usual: explanation.usual, message: explanation.message, pid: explanation.pid,
      output: explanation.output, because: explanation.because.map(Explained.init))
  }
}
