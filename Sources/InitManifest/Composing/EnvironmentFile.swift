/// The variables of an environment file, as other tools write it: a line `NAME=value` for each.
///
/// Empty lines, and lines that begin with `#`, are ignored. So is `export ` before a name. A value ends at the end of the line or
/// before ` #`. A value in quotes may have several lines: in `'…'` it is taken as written, in `"…"` it may have the escapes `\n`, `\r`,
/// `\t`, `\"`, `\\` and `\$`. `$` has no other meaning. If a variable is set several times, the last value counts.
struct EnvironmentFile {
  /// The variables in the order of the file.
  private(set) var variables: [YAMLEntry] = []
  private let file: Int
  private var rest: Substring.UnicodeScalarView
  private var line = 1
  private var column = 1

  /// Reads the bytes of a file; reports all mistakes.
  ///
  /// No message contains a value, which may be secret.
  init(_ bytes: [UInt8], file: Int, _ findings: inout Findings) {
    self.file = file
    rest = Substring().unicodeScalars
    guard bytes.count <= Manifest.maximumBytes else {
      findings.add(.start(of: file), "the file is larger than 1 MiB, the maximum", "remove what isn't a variable")
      return
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      findings.add(.start(of: file), "this is not UTF-8", "save the file as UTF-8")
      return
    }
    rest = text.unicodeScalars[...]
    if rest.first == "\u{FEFF}" { rest.removeFirst() }
    while !rest.isEmpty { readLine(&findings) }
  }

  private var position: Position { Position(line: line, column: column, file: file) }

  private mutating func next() -> Unicode.Scalar? {
    guard let scalar = rest.popFirst() else { return nil }
    if scalar == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
    return scalar
  }

  private mutating func skipSpaces() { while let scalar = rest.first, Self.isSpace(scalar) { _ = next() } }

  private mutating func skipLine() { while let scalar = next(), scalar != "\n" {} }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }

  private mutating func readLine(_ findings: inout Findings) {
    skipSpaces()
    guard let first = rest.first, first != "#", first != "\n" else { return skipLine() }
    var place = position
    var name = word()
    if name == "export", let space = rest.first, Self.isSpace(space) {
      skipSpaces()
      place = position
      name = word()
    }
    skipSpaces()
    guard rest.first == "=" else {
      findings.add(place, "this line is not a variable", "write NAME=value, or # before a comment")
      return skipLine()
    }
    if name.first.map({ $0.isNumber }) ?? true {
      findings.add(
        place, "\(quoted(name)) cannot be the name of a variable",
        "write letters, digits and _, beginning with a letter or _")
    }
    _ = next()
    skipSpaces()
    let valuePlace = position
    guard let value = value(&findings) else { return }
    let key = YAMLNode(position: place, content: .scalar(name, isPlain: true), isWhole: true)
    variables.append(
      YAMLEntry(key, YAMLNode(position: valuePlace, content: .scalar(value, isPlain: false), isWhole: true)))
  }

  /// Reads the characters of a name; the result may be empty.
  private mutating func word() -> String {
    var word = String.UnicodeScalarView()
    while let scalar = rest.first, Self.isInName(scalar) {
      word.append(scalar)
      _ = next()
    }
    return String(word)
  }

  private static func isInName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "0"..."9", "_", ".", "-": true
    default: false
    }
  }

  /// Reads a value and the rest of its line; `nil` after a mistake, which is reported.
  private mutating func value(_ findings: inout Findings) -> String? {
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return plainValue() }
    let place = position
    _ = next()
    var value = String.UnicodeScalarView()
    while let scalar = next() {
      if scalar == quote {
        skipSpaces()
        if let after = rest.first, after != "#", after != "\n" {
          findings.add(position, "text follows the closing quote", "put the whole value in quotes")
          skipLine()
          return nil
        }
        skipLine()
        return String(value)
      }
      guard scalar == "\\", quote == "\"", let escaped = rest.first, let meant = Self.meaning(ofEscaped: escaped) else {
        value.append(scalar)
        continue
      }
      _ = next()
      value.append(meant)
    }
    findings.add(place, "the quote that begins here has no end", "close the quote")
    return nil
  }

  private static func meaning(ofEscaped scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "n": "\n"
    case "r": "\r"
    case "t": "\t"
    case "\"", "\\", "$": scalar
    default: nil
    }
  }

  /// Reads a value without quotes: up to a comment or the end of the line, without trailing spaces.
  private mutating func plainValue() -> String {
    var value = String.UnicodeScalarView()
    var previous: Unicode.Scalar = " "
    while let scalar = rest.first, scalar != "\n", !(scalar == "#" && Self.isSpace(previous)) {
      value.append(scalar)
      previous = scalar
      _ = next()
    }
    skipLine()
    while let last = value.last, Self.isSpace(last) { value.removeLast() }
    return String(value)
  }
}
