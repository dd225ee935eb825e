internal import InitCore
internal import InitDeclarations
internal import InitWords

/// A shell command that waits in a loop until something holds, for example `until pg_isready; do sleep 0.1; done`.
///
/// Such a run ends when something else has come up, however early it starts, which a forecast must know. Only this form is recognized: `until
/// … do … sleep N … done`, or with `while !`, at the end of a command line of a shell.
enum PollingLoop {
  /// Returns the names of the launch commands that are such loops and aren't per process, in the order of their declarations.
  ///
  /// After a restart with a state directory they count as complete, even if the target of the loop is down (S22).
  static func launchCommands(in initializers: [DeclaredInitializer]) -> [String] {
    let launched = initializers.filter { $0.declaration.priority == .appLaunch }
    let needed = Set(launched.flatMap(\.declaration.dependencies))
    return initializers.filter { each in
      guard let command = each.command, !each.declaration.isPerProcess, !each.isOnce else { return false }
      let isLaunched = each.declaration.priority == .appLaunch || needed.contains(each.declaration.name)
      return isLaunched && pause(of: command.arguments) != nil
    }.map(\.declaration.name)
  }

  private static let shells: Set<String> = ["sh", "bash", "dash", "ash", "zsh", "ksh"]

  /// Returns the pause between two tries, in seconds; nil for any other command.
  static func pause(of arguments: [String]) -> Double? {
    guard arguments.count >= 3, let shell = arguments[0].split(separator: "/").last, shells.contains(String(shell)),
      arguments[1].hasPrefix("-"), arguments[1].hasSuffix("c")
    else { return nil }
    let words = arguments[2].split { $0 == ";" || $0.isWhitespace }
    guard let start = words.indices.first(where: { isLoop(words[$0...]) }), !words[..<start].contains("sleep"),
      let body = words[start...].firstIndex(of: "do"), let end = words.lastIndex(of: "done"), body < end,
      words[(end + 1)...].allSatisfy({ $0.contains(">") }),
      let sleep = words[body..<end].firstIndex(of: "sleep"), sleep + 1 < end
    else { return nil }
    return seconds(words[sleep + 1])
  }

  private static func isLoop(_ words: ArraySlice<Substring>) -> Bool {
    words.first == "until" || words.first == "while" && words.dropFirst().first == "!"
  }

  /// Reads a pause such as `0.1`, `2s` or `1m`, up to an hour.
  private static func seconds(_ text: Substring) -> Double? {
    let units: [Character: Double] = ["s": 1, "m": 60]
    let unit = text.last.flatMap { units[$0] }
    guard let number = Double(unit == nil ? text : text.dropLast()) else { return nil }
    let seconds = number * (unit ?? 1)
    return seconds > 0 && seconds <= 3600 ? seconds : nil
  }
}
