internal import InitText

/// Text and numbers for XML.
package enum XML {
  /// Escapes everything in a text that would be markup, or that XML can't contain.
  package static func text(_ text: String) -> String {
    var result = ""
    for scalar in TerminalText.escape(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Formats a coordinate with at most two decimals.
  static func number(_ number: Double) -> String { PlotScale.decimal(number, decimals: 2) }

  /// Estimates how wide a text is in a proportional font.
  static func width(of text: String, size: Double) -> Double {
    text.unicodeScalars.reduce(0) { width, scalar in
      switch scalar {
      case "i", "j", "l", ".", ",", ":", "'", "|", "!", " ", "/": width + 0.3 * size
      case "f", "t", "r", "-", "(", ")": width + 0.4 * size
      case "m", "w", "M", "W", "@", "%": width + 0.88 * size
      case "A"..."Z": width + 0.68 * size
      default: width + (scalar.value < 0x1100 ? 0.58 : 1.05) * size
      }
    }
  }

  /// Shortens a text in its middle if it has more characters.
  static func clipped(_ text: String, to count: Int) -> String {
    guard text.count > count, count > 4 else { return text }
    let tail = (count - 1) / 3
    return "\(text.prefix(count - 1 - tail))…\(text.suffix(tail))"
  }
}
