/// A reference to an environment variable as only a shell writes it: `$DATA`.
///
/// `VariableScope` replaces `${DATA}`. Only names in capital letters count: a `$` may be part of any value, e.g. a password, and a message
/// must not show a part of that.
enum VariableReference {
  /// Returns the name of the first reference in a text; nil if there is none.
  static func first(in text: String) -> String? {
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      let after = rest[rest.index(after: dollar)...]
      let name = after.prefix(while: isInName)
      let isWhole = after[name.endIndex...].first.map { !isInWord($0) } ?? true
      if let first = name.first, !first.isNumber, isWhole { return String(name) }
      rest = after
    }
    return nil
  }

  private static func isInName(_ character: Character) -> Bool {
    switch character {
    case "A"..."Z", "0"..."9", "_": true
    default: false
    }
  }

  private static func isInWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
