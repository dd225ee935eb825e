package import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

extension Client {
  /// Returns why a target isn't complete; nil for an unknown name.
  ///
  /// `patience` is the timeout of optional answers: without them, the explanation has less detail.
  func explanation(of target: WaitTarget, patience: Duration) async throws(ClientError) -> Explanation? {
    let status = try await send(StatusRequest())
    let situation = Situation(status, usual: await usual(within: patience) ?? [])
    return await WhyTree.why(target, in: situation) { name in
      (try? await logs(LogsRequest(initializer: name), within: patience))?.lines ?? []
    }
  }

  /// Returns how long phases and initializers usually take; nil without an answer in time.
  package func usual(within patience: Duration) async -> [Usual]? {
    // No pass has this number: only the usual durations are wanted.
    try? await history(HistoryRequest(pass: .max, usual: true), within: patience).usual
  }
}
