internal import InitText

extension YAMLNode {
  /// The value as a YAML document, with a newline at the end: the same tree when it is read again, without the positions.
  var yaml: String {
    var text = ""
    write(to: &text, indent: 0)
    return text
  }

  /// Writes a value after its key or its dash, with a newline at the end.
  private func write(to text: inout String, indent: Int) {
    let margin = String(repeating: " ", count: indent)
    switch content {
    case .scalar(let words, let isPlain):
      text += Self.scalar(words, isPlain: isPlain, indent: indent) + "\n"
    case .mapping(let entries) where entries.isEmpty: text += "{}\n"
    case .list(let elements) where elements.allSatisfy({ $0.text != nil }):
      let words = elements.map { element in
        Self.scalar(element.text ?? "", isPlain: element.isPlain, indent: nil)
      }
      text += "[" + words.joined(separator: ", ") + "]\n"
    case .mapping(let entries):
      if !text.isEmpty { text += "\n" }
      for entry in entries {
        text += margin + Self.scalar(entry.key.text ?? "", isPlain: entry.key.isPlain, indent: nil) + ":"
        entry.value.writeBehind(to: &text, indent: indent + 2)
      }
    case .list(let elements):
      text += "\n"
      for element in elements {
        text += margin + "-"
        element.writeBehind(to: &text, indent: indent + 2)
      }
    case .refused, .removed: text += "\n"
    }
  }

  /// Writes a value behind a key or a dash: on the same line unless it has lines of its own.
  private func writeBehind(to text: inout String, indent: Int) {
    switch content {
    case .mapping(let entries) where !entries.isEmpty: break
    case .list(let elements) where !elements.allSatisfy({ $0.text != nil }): break
    case .scalar, .list, .mapping, .refused, .removed: text += " "
    }
    write(to: &text, indent: indent)
  }

  /// Returns a scalar; without an `indent` it stays on one line.
  private static func scalar(_ text: String, isPlain: Bool, indent: Int?) -> String {
    if isPlain, isSimple(text) { return text }
    if let indent, let lines = block(text, indent: indent) { return lines }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default: result += isPrintable(scalar) ? String(scalar) : "\\U" + scalar.value.digits(8, radix: 16)
      }
    }
    return result + "\""
  }

  /// Returns the lines of a text as a literal block; nil if it needs escapes, or has only one line.
  private static func block(_ text: String, indent: Int) -> String? {
    let body = text.hasSuffix("\n") ? text.dropLast() : text[...]
    let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 1, let first = lines.first, let last = lines.last, !first.isEmpty, !last.isEmpty,
      first.first != " ", first.first != "\t",
      text.unicodeScalars.allSatisfy({ $0 == "\n" || $0 == "\t" || isPrintable($0) })
    else { return nil }
    let margin = String(repeating: " ", count: indent)
    return (text.hasSuffix("\n") ? "|" : "|-") + lines.map { $0.isEmpty ? "\n" : "\n" + margin + $0 }.joined()
  }

  /// Returns whether a plain text certainly stays plain text: words, numbers, paths and durations.
  private static func isSimple(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "-") else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"),
        UInt8(ascii: "+"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}
