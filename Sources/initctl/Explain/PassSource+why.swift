internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

extension PassSource {
  /// Returns why a target isn't complete, with usual durations and the last lines of failed or current runs; nil for an unknown name.
  ///
  /// `status` is the Status to explain.
  func why(_ target: WaitTarget, _ status: Status) async -> Explanation? {
    let situation = Situation(status, usual: await usual() ?? [])
    let why = await WhyTree.why(target, in: situation) { await lastLines(of: $0) }
    return record == nil ? why : why?.afterEnd
  }
}
