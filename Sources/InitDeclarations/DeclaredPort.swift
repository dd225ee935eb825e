/// A port of a manifest, which is chosen when the supervisor starts, or at a reload (S36).
public enum DeclaredPort: Hashable, Sendable, CustomStringConvertible {
  /// How many ports from a first one on are tried.
  package static let tried = 100

  /// This one.
  case number(Int)
  /// The first free one of 100, from this one on.
  case from(Int)
  /// Any free one.
  case any

  /// Reads `8080`, `5432+` or `auto`; `nil` if the text is none of these, or the number isn't one of a port.
  package init?(_ text: some StringProtocol) {
    guard text != "auto" else {
      self = .any
      return
    }
    let isFirst = text.hasSuffix("+")
    let digits = isFirst ? text.dropLast() : text[...]
    guard digits.first != "0", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits)
    else {
      return nil
    }
    self = isFirst ? .from(Int(number)) : .number(Int(number))
  }

  /// The text in a manifest.
  public var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .from(let first): "\(first)+"
    case .any: "auto"
    }
  }
}
