/// RFC 8259 again, implemented slowly and differently: by recursion over scalars that the standard library has validated.
///
/// The reference must accept the same texts as `StrictJSON`, so the two are compared. A key is compared as the list of its scalars; depth
/// is counted during the descent.
struct ReferenceJSON {
  private var rest: ArraySlice<Unicode.Scalar>
  private let deepest: Int

  private struct Refused: Error {}

  /// Returns whether a payload is one strict JSON object.
  static func accepts(_ payload: [UInt8]) -> Bool {
    guard var reference = ReferenceJSON(payload, deepest: 32) else { return false }
    reference.whitespace()
    return reference.rest.first == "{" && reference.isOneValue()
  }

  /// Returns whether a text is one strict JSON value of any kind, with at most this many open braces and brackets.
  static func accepts(value text: [UInt8], deepest: Int) -> Bool {
    guard var reference = ReferenceJSON(text, deepest: deepest) else { return false }
    return reference.isOneValue()
  }

  private init?(_ bytes: [UInt8], deepest: Int) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    rest = Array(text.unicodeScalars)[...]
    self.deepest = deepest
  }

  private mutating func isOneValue() -> Bool {
    do {
      try value(depth: 0)
      return rest.isEmpty
    } catch {
      return false
    }
  }

  private mutating func whitespace() {
    rest = rest.drop { " \t\r\n".unicodeScalars.contains($0) }
  }

  private mutating func take(_ expected: Unicode.Scalar) -> Bool {
    guard rest.first == expected else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func must(_ taken: Bool) throws {
    if !taken { throw Refused() }
  }

  private mutating func value(depth: Int) throws {
    whitespace()
    switch rest.first {
    case "{": try object(depth: depth + 1)
    case "[": try array(depth: depth + 1)
    case "\"": _ = try string()
    case "t": try word("true")
    case "f": try word("false")
    case "n": try word("null")
    default: try number()
    }
    whitespace()
  }

  private mutating func object(depth: Int) throws {
    try must(depth <= deepest && take("{"))
    whitespace()
    if take("}") { return }
    var keys: Set<[Unicode.Scalar]> = []
    repeat {
      whitespace()
      try must(keys.insert(try string()).inserted)
      whitespace()
      try must(take(":"))
      try value(depth: depth)
    } while take(",")
    try must(take("}"))
  }

  private mutating func array(depth: Int) throws {
    try must(depth <= deepest && take("["))
    whitespace()
    if take("]") { return }
    repeat { try value(depth: depth) } while take(",")
    try must(take("]"))
  }

  private mutating func word(_ word: String) throws {
    for scalar in word.unicodeScalars { try must(take(scalar)) }
  }

  private mutating func number() throws {
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
  }

  private mutating func digits() throws {
    let digits = rest.prefix { "0"..."9" ~= $0 }
    try must(!digits.isEmpty)
    rest = rest.dropFirst(digits.count)
  }

  private mutating func string() throws -> [Unicode.Scalar] {
    try must(take("\""))
    var units: [UInt16] = []
    while !take("\"") {
      guard let scalar = rest.popFirst(), scalar.value >= 0x20 else { throw Refused() }
      guard scalar == "\\" else {
        units += Array(String(Character(scalar)).utf16)
        continue
      }
      guard let escaped = rest.popFirst() else { throw Refused() }
      switch escaped {
      case "\"", "\\", "/": units.append(UInt16(escaped.value))
      case "b": units.append(8)
      case "t": units.append(9)
      case "n": units.append(10)
      case "f": units.append(12)
      case "r": units.append(13)
      case "u":
        let digits = rest.prefix(4)
        try must(digits.count == 4 && digits.allSatisfy { $0.properties.isASCIIHexDigit })
        rest = rest.dropFirst(4)
        units.append(UInt16(digits.map(String.init).joined(), radix: 16)!)
      default: throw Refused()
      }
    }
    guard let text = String(validating: units, as: UTF16.self) else { throw Refused() }
    return Array(text.unicodeScalars)
  }
}
