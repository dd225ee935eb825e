import InitText
import Logging

/// The log on a terminal in the foreground: the output of all with aligned names, and the supervisor's own lines, which stand out.
struct ForegroundText {
  /// The width of the names, in columns.
  private let width: Int
  private let hasTime: Bool

  /// - Parameters:
  ///   - names: the names of everything that may write lines.
  ///   - hasTime: whether each line begins with the time.
  init(names: [String], hasTime: Bool) {
    width = min(24, names.map { TextWidth.columns(TerminalText.escape($0)) }.max() ?? 0)
    self.hasTime = hasTime
  }

  func line(_ level: Logger.Level, _ message: String, _ members: Logger.Metadata, hasColor: Bool) -> String {
    let time = hasTime ? StandardErrorLog.Format.clock() + " " : ""
    let text = TerminalText.escape(message)
    if members["event"] == "output", let name = (members["initializer"] ?? members["process"]).map({ "\($0)" }),
      text.hasPrefix(name + " |")
    {
      let prefix = TextWidth.pad(name, to: width) + " |"
      let shown = hasColor ? "\u{1B}[\(NameColor.code(of: name))m\(prefix)\u{1B}[0m" : prefix
      return time + shown + text.dropFirst(name.count + 2)
    }
    let word = level == .info || level == .debug ? "" : "\(level): "
    let own = "initd: \(word)\(text)"
    guard hasColor else { return time + own }
    let code = level >= .error ? "1;31" : level == .warning ? "1;33" : "1"
    return "\(time)\u{1B}[\(code)m\(own)\u{1B}[0m"
  }
}
