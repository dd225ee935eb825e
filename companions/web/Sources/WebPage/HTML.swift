/// Text of an HTML page, made of literals and escaped values.
///
/// A value that is inserted into a literal is escaped, unless it is HTML itself, so a text of another program can't become markup.
public struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// The text.
  public let text: String

  /// Collects the parts of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Reserves memory.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(2 * literalCapacity) }

    /// Adds markup.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds HTML.
    public mutating func appendInterpolation(_ html: HTML) { text += html.text }

    /// Adds pieces of HTML one after another.
    public mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }

    /// Adds a number.
    public mutating func appendInterpolation(_ number: Int) { text += String(number) }

    /// Adds a text, escaped.
    public mutating func appendInterpolation(_ value: String) { text += HTML.escape(value) }
  }

  /// Takes markup.
  public init(stringLiteral markup: String) { text = markup }

  /// Takes markup with values.
  public init(stringInterpolation parts: StringInterpolation) { text = parts.text }

  /// Joins pieces.
  init(_ pieces: [HTML], separator: String) { text = pieces.map(\.text).joined(separator: separator) }

  /// Returns a text as it must be in HTML, in an element or in a quoted attribute.
  ///
  /// Control characters, which HTML doesn't allow, are shown as their pictures.
  static func escape(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 >= 0x80 || "&<>\"'".utf8.contains($0) }) else {
      return text
    }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      case "\n", "\t": escaped.append(scalar)
      case _ where scalar.value < 0x20: escaped.append(Unicode.Scalar(0x2400 + scalar.value) ?? " ")
      case "\u{7F}": escaped.append("\u{2421}")
      // Controls, and marks that turn the direction of the text after them.
      case "\u{80}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": escaped.append("\u{FFFD}")
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}

extension Double {
  /// The duration for people: three digits and a unit, such as `1.25 s`.
  var words: String {
    func rounded(_ value: Double, _ digits: Int) -> String {
      let scale = [1.0, 10, 100][digits]
      let whole = Int((value * scale).rounded())
      guard digits > 0 else { return String(whole) }
      let fraction = String(whole % Int(scale))
      return "\(whole / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
    guard isFinite, self >= 0, self < 1e9 else { return "?" }
    return switch self {
    case ..<0.9995: "\(rounded(self * 1000, 0)) ms"
    case ..<9.995: "\(rounded(self, 2)) s"
    case ..<60: "\(rounded(self, 1)) s"
    case ..<3600: "\(Int(self) / 60) min \(Int(self) % 60) s"
    default: "\(Int(self) / 3600) h \(Int(self) % 3600 / 60) min"
    }
  }

  /// The duration for people in whole units, for a time that goes on: `10 s`, `2 min 13 s`, `3 h 5 min`, `2 days`.
  var wholeWords: String {
    guard isFinite, self < 1e9 else { return "?" }
    let seconds = Int(max(0, self))
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
    case ..<172_800: "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    default: "\(seconds / 86_400) days"
    }
  }

  /// The number for an attribute: at most three decimals.
  var attribute: String {
    guard isFinite, abs(self) < 1e12 else { return "0" }
    let thousandths = Int((self * 1000).rounded())
    let (whole, rest) = (abs(thousandths) / 1000, abs(thousandths) % 1000)
    let digits = String(rest)
    let fraction = rest == 0 ? "" : "." + String(repeating: "0", count: 3 - digits.count) + digits
    return (thousandths < 0 ? "-" : "") + "\(whole)" + fraction
  }
}
