internal import InitClient
internal import InitTimeline
internal import InitWire

extension Client {
  /// How long the answers may take without which the tree is less detailed.
  private static let patience = Duration.seconds(2)

  /// Why a target isn't complete, with usual durations and the last lines of what failed; nil for an unknown name.
  ///
  /// - Parameter status: the Status to explain.
  func why(_ target: WaitTarget, _ status: StatusShape) async -> Why? {
    // No pass has this number: only the usual durations are wanted.
    let params = HistoryParams(pass: .max, usual: true)
    let usual = try? await history(params, within: Client.patience).usual
    guard var why = WhyTree.why(target, in: Situation(status, usual: usual ?? [])) else { return nil }
    for (name, run) in why.failures(limit: WaitReport.outputs) {
      let lines = (try? await logs(of: name, within: Client.patience)) ?? []
      why = why.showing(WaitReport.output(of: run, in: lines), ofRun: run)
    }
    return why
  }
}
