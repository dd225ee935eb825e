package import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

/// Explains the status of an initializer, a phase or the app: a tree whose leaves run now, have failed first, or are missing.
///
/// Get it with ``SupervisorClient/explanation(of:)``. `initctl why` shows the same tree.
public struct Explanation: Sendable, Equatable {
  /// The name of the initializer or kept process; or `ready`, `composite`, `launch`, `active` or `app`.
  public let name: String
  /// The status in the protocol's words, `undeclared`, or `notRunning`, `restarted` or `unregistered` for a kept process.
  public let status: String
  /// The time of the last change of the status, in seconds since the Unix epoch; `nil` if it isn't known.
  public let since: Double?
  /// The usual duration: the median of the complete passes that are kept; `nil` without one.
  public let usual: Duration?
  /// The explanation, and what to do about it; it may be empty.
  ///
  /// The message may have control characters: escape them before you print it.
  public let message: String
  /// The process id of the command that runs, or of the kept process.
  public let pid: Int?
  /// The last output lines of the run.
  ///
  /// The lines may have control characters.
  public let output: [String]
  /// The causes: what it waits for, or what stopped it.
  ///
  /// Each subject is explained once: if it is listed again, this is empty.
  public let because: [Explanation]

  init(_ why: Why) {
    name = why.name
    status = why.status
    since = why.since
    usual = why.usual.map { .seconds($0) }
    message = why.message
    pid = why.pid
    output = why.output ?? []
    because = why.because.map(Explanation.init)
  }
}

extension Client {
  /// Returns why a target isn't complete; nil for an unknown name.
  ///
  /// `patience` is the timeout of optional answers: without them, the explanation has less detail.
  func explanation(of target: WaitTarget, patience: Duration) async throws(ClientError) -> Explanation? {
    let status = try await send(StatusRequest())
    let situation = Situation(status, usual: await usual(within: patience) ?? [])
    return await WhyTree.why(target, in: situation) { name in
      (try? await logs(LogsRequest(initializer: name), within: patience))?.lines ?? []
    }.map(Explanation.init)
  }

  /// Returns how long phases and initializers usually take; nil without an answer in time.
  package func usual(within patience: Duration) async -> [Usual]? {
    // No pass has this number: only the usual durations are wanted.
    try? await history(HistoryRequest(pass: .max, usual: true), within: patience).usual
  }
}
