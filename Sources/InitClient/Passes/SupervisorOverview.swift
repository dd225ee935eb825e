public import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

/// A status of a supervisor, with everything that explains this same status.
///
/// Get it with ``SupervisorClient/overview()``. A picture that is made of several requests could contradict itself.
public struct SupervisorOverview: Sendable, Equatable {
  /// The status.
  public let status: Status
  /// Why the app isn't ready; if it is, the kept processes that don't run.
  public let explanation: Explanation
  /// What `initctl status` shows beside an initializer, by its name: why it waits or wasn't run, its error, its attempt and its progress.
  ///
  /// The texts may have control characters.
  public let details: [String: String]
  /// The last lines of the newest failed attempt, by the name of the initializer or kept process, for at most 16 of them.
  ///
  /// The lines may have control characters.
  public let failedOutput: [String: [String]]
  /// The passes in flight, if an initializer is retried in one of them.
  public let retryingPasses: [Pass]
}

extension Client {
  /// The maximum number of names whose output an overview has.
  private static let mostOutputs = 16
  /// The maximum number of lines of all attempts of an initializer in a pass.
  private static let mostLines = 200

  /// Returns a status with everything that explains it; `patience` is the timeout of each optional answer.
  func overview(patience: Duration) async throws(ClientError) -> SupervisorOverview {
    let status = try await send(StatusRequest())
    let situation = Situation(status, usual: await usual(within: patience) ?? [])
    let why = await WhyTree.why(.state(.ready), in: situation) { name in
      (try? await logs(LogsRequest(initializer: name), within: patience))?.lines ?? []
    }
    let failed = status.initializers.filter { $0.status == .failed || $0.isBetweenAttempts }
    let newest = failed.sorted { ($0.ended ?? 0) > ($1.ended ?? 0) }.map(\.name)
    var output: [String: [String]] = [:]
    for name in (situation.troubled.map(\.name) + newest).prefix(Self.mostOutputs) where output[name] == nil {
      let lines = try? await logs(
        LogsRequest(initializer: name, limit: RunOutput.failedLines, failed: true), within: patience
      ).lines
      if let lines, !lines.isEmpty { output[name] = lines.map(\.line) }
    }
    let retries = status.initializers.contains { $0.isInFlight && ($0.attempt ?? 1) > 1 || $0.isBetweenAttempts }
    let passes = retries ? try? await history(HistoryRequest(limit: 1, inFlight: true), within: patience).passes : nil
    return SupervisorOverview(
      status: status, explanation: why ?? Explanation(),
      details: Dictionary(status.initializers.map { ($0.name, situation.detail($0)) }) { first, _ in first },
      failedOutput: output,
      retryingPasses: passes?.filter { $0.duration == nil } ?? [])
  }

  /// Returns the last lines of an initializer's attempts in a pass, by the number of the run.
  func output(of initializer: String, inPass pass: Int) async throws(ClientError) -> [Int: [String]] {
    let lines = try await logs(LogsRequest(initializer: initializer, limit: Self.mostLines, pass: pass)).lines
      .filter { $0.instance == nil }
    return Dictionary(grouping: lines, by: \.run).mapValues { $0.suffix(RunOutput.failedLines).map(\.line) }
  }
}
