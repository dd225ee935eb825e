internal import InitCore

extension Duration {
  /// For messages: "514 ms", "1 s", "1.5 s".
  var words: String {
    let milliseconds = Int((inSeconds * 1000).rounded())
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
  }
}
