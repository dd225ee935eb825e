/// The text with everything that isn't plainly visible written as `\u{…}`: control and format characters, unusual spaces.
///
/// All text of a manifest is escaped by this before it reaches a terminal.
func escaped(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    if isVisible(scalar) {
      result.unicodeScalars.append(scalar)
    } else {
      result += shortEscapes[scalar] ?? "\\u{\(hexadecimal(scalar))}"
    }
  }
  return result
}

/// The text escaped and quoted, for a message; cut after 80 characters.
func quoted(_ text: String) -> String {
  let longest = 80
  let scalars = text.unicodeScalars
  guard
    scalars.index(scalars.startIndex, offsetBy: longest, limitedBy: scalars.endIndex) ?? scalars.endIndex
      != scalars.endIndex
  else { return "\"\(escaped(text))\"" }
  return "\"\(escaped(String(scalars.prefix(longest))))…\""
}

/// The code point of a character that can't be shown, e.g. `U+0007`.
func codePoint(_ scalar: Unicode.Scalar) -> String {
  let digits = hexadecimal(scalar)
  return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

private let shortEscapes: [Unicode.Scalar: String] = ["\n": "\\n", "\r": "\\r", "\t": "\\t"]

private func hexadecimal(_ scalar: Unicode.Scalar) -> String {
  String(scalar.value, radix: 16, uppercase: true)
}

private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F }
  switch scalar.properties.generalCategory {
  case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
    return false
  default:
    return true
  }
}
