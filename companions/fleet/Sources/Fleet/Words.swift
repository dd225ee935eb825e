extension Duration {
  /// The duration for people: `514 ms`, `1.5 s`, `2 min 13 s`, `3 h 5 min`.
  package var words: String {
    let milliseconds = Int64((self / .milliseconds(1)).rounded())
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    if milliseconds < 60_000 {
      return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }
    let seconds = (milliseconds + 500) / 1000
    let (large, small, names): (Int64, Int64, (String, String)) =
      seconds < 3600 ? (60, 1, ("min", "s")) : (3600, 60, ("h", "min"))
    let rest = seconds % large / small
    return "\(seconds / large) \(names.0)" + (rest == 0 ? "" : " \(rest) \(names.1)")
  }
}
