extension Duration {
  /// A text for people, to the millisecond or in its two largest units: `514 ms`, `1.5 s`, `2 min 13 s`, `3 h 5 min`, `2 d 4 h`.
  package var words: String {
    let (seconds, attoseconds) = components
    if seconds < 60 {
      let milliseconds = seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
      if milliseconds < 1000 { return "\(milliseconds) ms" }
      if milliseconds < 60_000 {
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
      }
    }
    let whole = seconds + (attoseconds < 500_000_000_000_000_000 ? 0 : 1)
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")] as [(Int64, String)]
    let first = units.firstIndex { whole >= $0.0 } ?? 0
    let large = "\(whole / units[first].0) \(units[first].1)"
    let rest = whole % units[first].0 / units[first + 1].0
    return rest == 0 ? large : "\(large) \(rest) \(units[first + 1].1)"
  }
}
