package import InitModel

extension Explanation {
  /// The same explanation for a supervisor that has ended: without advice to send it requests.
  package var afterEnd: Explanation {
    var copy = self
    if let remedy, remedy.split(separator: " ").contains("initctl") {
      copy.remedy = status == "failed" ? "fix it, then start the supervisor again" : nil
    }
    copy.because = because.map(\.afterEnd)
    return copy
  }
}
