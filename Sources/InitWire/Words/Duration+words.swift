extension Duration {
  /// For messages, to the millisecond: "514 ms", "1 s", "1.5 s".
  package var words: String {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
  }
}
