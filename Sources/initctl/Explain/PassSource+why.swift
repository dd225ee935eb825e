internal import InitClient
internal import InitTimeline
internal import InitWire
internal import InitWords

extension Client {
  /// Returns how long phases and initializers usually take; nil without an answer in time.
  func usual(within patience: Duration) async -> [UsualShape]? {
    // No pass has this number: only the usual durations are wanted.
    try? await history(HistoryParams(pass: .max, usual: true), within: patience).usual
  }
}

extension PassSource {
  /// Returns why a target isn't complete, with usual durations and the last lines of what failed or runs; nil for an unknown name.
  ///
  /// `status` is the Status to explain.
  func why(_ target: WaitTarget, _ status: StatusShape) async -> Why? {
    let usual = await usual()
    guard var why = WhyTree.why(target, in: Situation(status, usual: usual ?? [])) else { return nil }
    for told in why.outputs(limit: WaitReport.outputs) {
      let output = WaitReport.output(of: told.run, in: await lastLines(of: told.name), isRunning: told.isRunning)
      why = why.showing(output, of: told.name, run: told.run)
    }
    return record == nil ? why : why.afterEnd
  }
}
