extension Why {
  /// The same for a supervisor that has ended: what could be asked of it isn't advised any more.
  package var afterEnd: Why {
    var copy = self
    if let remedy, remedy.split(separator: " ").contains("initctl") {
      copy.remedy = status == "failed" ? "fix it, then start the supervisor again" : nil
    }
    copy.because = because.map(\.afterEnd)
    return copy
  }
}
