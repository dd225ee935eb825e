/// The checked bytes of a manifest: UTF-8 of bounded size, without a byte order mark or characters that YAML forbids.
struct ManifestText {
  private let bytes: ArraySlice<UInt8>

  /// Checks the bytes of a file; if they aren't text, reports all mistakes and returns `nil`.
  init?(_ bytes: [UInt8], file: Int = 0, _ findings: inout Findings) {
    guard bytes.count <= Manifest.maximumBytes else {
      findings.add(
        // Callers read no more than one byte beyond the maximum.
        .start(of: file), "the manifest is larger than 1 MiB, the maximum", "move scripts into files of their own")
      return nil
    }
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard Self.check(self.bytes, file, &findings) else { return nil }
  }

  /// Lends the bytes to a parser during `body`.
  func withYAML<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer(body)
  }

  private static func check(_ bytes: ArraySlice<UInt8>, _ file: Int, _ findings: inout Findings) -> Bool {
    var source = bytes.makeIterator()
    var decoder = UTF8()
    var line = 1
    var column = 1
    var previous = Unicode.Scalar(0)
    var isText = true
    while true {
      switch decoder.decode(&source) {
      case .emptyInput:
        findings.end(at: Position(line: line, column: column, file: file))
        return isText
      case .error:
        isText = false
        findings.add(
          Position(line: line, column: column, file: file), "this is not UTF-8", "save the file as UTF-8")
        previous = "?"
        column += 1
      case .scalarValue(let scalar):
        if isForbidden(scalar) {
          isText = false
          findings.add(
            Position(line: line, column: column, file: file),
            "the character \(codePoint(scalar)) is not allowed in YAML",
            "remove it, or write it as an escape in double quotes")
        }
        if isBreak(scalar) {
          if !(scalar == "\n" && previous == "\r") { line += 1 }
          column = 1
        } else {
          column += 1
        }
        previous = scalar
      }
    }
  }

  /// Returns whether libyaml treats the character as a line break, so all positions agree.
  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": true
    default: false
    }
  }

  /// Returns whether YAML forbids the character; a byte order mark is allowed only at the beginning.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x85: false
    case 0..<0x20, 0x7F..<0xA0, 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}
