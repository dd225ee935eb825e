internal import InitClient
internal import InitTimeline
internal import InitWire

extension Client {
  /// How long the answers may take without which the tree is less detailed.
  private static let patience = Duration.seconds(2)

  /// How long phases and initializers usually take; nil without an answer in time.
  func usual(within patience: Duration) async -> [UsualShape]? {
    // No pass has this number: only the usual durations are wanted.
    try? await history(HistoryParams(pass: .max, usual: true), within: patience).usual
  }

  /// Why a target isn't complete, with usual durations and the last lines of what failed; nil for an unknown name.
  ///
  /// - Parameter status: the Status to explain.
  func why(_ target: WaitTarget, _ status: StatusShape) async -> Why? {
    let usual = await usual(within: Client.patience)
    guard var why = WhyTree.why(target, in: Situation(status, usual: usual ?? [])) else { return nil }
    for (name, run) in why.failures(limit: WaitReport.outputs) {
      let lines = (try? await logs(of: name, within: Client.patience)) ?? []
      why = why.showing(WaitReport.output(of: run, in: lines), ofRun: run)
    }
    return why
  }
}
