import FoundationEssentials
import Testing

@testable import InitJSON

/// The project's coder, compared with Foundation's.
@Suite("JSON of Encodable and Decodable values")
struct JSONCodingTests {
  private static let foundation: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  private func decode<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
    try RawJSON(checking: Array(text.utf8)).decode(type)
  }

  @Test("Its output is the same as Foundation's, byte by byte, and each can read the other's", arguments: 0..<300)
  func likeFoundation(seed: UInt64) throws {
    var random = SeededBits(state: seed)
    let value = Everything(&random)
    let ours = try JSONWriter.text(encoding: value)
    let theirs = [UInt8](try Self.foundation.encode(value))
    #expect(String(decoding: ours, as: UTF8.self) == String(decoding: theirs, as: UTF8.self))
    #expect(try RawJSON(checking: theirs).decode(Everything.self) == value)
    #expect(try JSONDecoder().decode(Everything.self, from: Data(ours)) == value)
  }

  @Test("Containers may be filled alternately, requested again, and left empty")
  func containers() throws {
    let text = String(decoding: try JSONWriter.text(encoding: Odd()), as: UTF8.self)
    #expect(text == String(decoding: try Self.foundation.encode(Odd()), as: UTF8.self))
    #expect(text == #"{"list":[1,{},[2],null,"super"],"nested":{"a":1,"b":2},"super":3}"#)
  }

  @Test(
    "A top-level value may be of any type",
    arguments: [#""a\nb""#, "1", "-1.5", "1e+100", "true", "null", "[]", "{}", #"["a",null]"#])
  func fragments(text: String) throws {
    let value = try decode(text, as: Anything.self)
    #expect(String(decoding: try JSONWriter.text(encoding: value), as: UTF8.self) == text)
  }

  @Test("A number that JSON can't express is refused, with its path")
  func infinite() {
    #expect(throws: ShapeFault(path: ".inner[1]", reason: "inf can't be written as JSON")) {
      try JSONWriter.text(encoding: ["inner": [1.0, .infinity]])
    }
    #expect(throws: ShapeFault(path: "", reason: "nan can't be written as JSON")) {
      try JSONWriter.text(encoding: Float.nan)
    }
  }

  @Test("A whole number may have a fraction or an exponent; one that is out of range is refused")
  func integers() throws {
    #expect(try decode("8080.0") == 8080)
    #expect(try decode("1e2", as: UInt8.self) == 100)
    #expect(try decode("18446744073709551615", as: UInt64.self) == .max)
    for text in ["256", "-1", "1.5", "1e3", "true", #""1""#] {
      #expect(throws: ShapeFault(path: "", reason: "must be an integer")) { try decode(text, as: UInt8.self) }
    }
    #expect(throws: ShapeFault(path: "", reason: "must be an integer")) {
      try decode("9223372036854775808", as: Int.self)
    }
    #expect(throws: ShapeFault(path: "", reason: "must be a number")) { try decode("1e400", as: Double.self) }
    #expect(throws: ShapeFault(path: "", reason: "must be a number")) { try decode("1e39", as: Float.self) }
  }

  @Test("A mismatch is reported with its path")
  func faults() {
    func fault<Value: Decodable>(_ text: String, _ type: Value.Type) -> String? {
      do throws(ShapeFault) {
        _ = try (try? RawJSON(checking: Array(text.utf8)))?.decode(type)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(fault(#"{"a":[1,"x"]}"#, [String: [Int]].self) == ".a[1]: must be an integer")
    #expect(fault(#"{"a":null}"#, [String: String].self) == ".a: must be a string, not null")
    #expect(fault("[]", [String: Int].self) == "must be an object")
    #expect(fault("{}", [Int].self) == "must be an array")
    #expect(fault(#"{"name":1}"#, Named.self) == ".name: must be a string")
    #expect(fault("{}", Named.self) == ".name: must be given")
    #expect(fault("[1]", Pair.self) == "[1]: must be an integer, not null")
  }

  @Test("Keys with escapes are unescaped")
  func escapedKeys() throws {
    #expect(try decode(#"{"n\u0061me":"x"}"#, as: Named.self).name == "x")
    #expect(try decode(#"{"\u00e9":1,"\n":2}"#) == ["é": 1, "\n": 2])
  }
}

private struct Named: Codable { var name: String }

private struct Pair: Decodable {
  init(from decoder: any Decoder) throws {
    var elements = try decoder.unkeyedContainer()
    _ = try elements.decode(Int.self)
    _ = try elements.decode(Int.self)
  }
}

/// One value of every type in Swift's coding.
private struct Everything: Codable, Equatable {
  enum Word: String, Codable, CaseIterable { case one, two, three }
  enum Case: Codable, Equatable {
    case plain
    case with(Int, name: String)
  }
  struct Inner: Codable, Equatable {
    var list: [Double]
    var more: [Inner]
  }

  var text: String
  var int: Int
  var sizes: [Int64]
  var bytes: [UInt8]
  var unsigned: UInt64
  var double: Double
  var float: Float
  var truth: Bool
  var missing: String?
  var given: String?
  var words: [Word]
  var cases: [Case]
  var dictionary: [String: Int?]
  var numbered: [Int: String]
  var pairs: [Word: Bool]
  var inner: Inner

  init(_ random: inout SeededBits) {
    func bits() -> UInt64 { random.next() }
    func word() -> Word { Word.allCases[Int(bits() % 3)] }
    func string() -> String {
      let scalars: [Unicode.Scalar] = [
        "a", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{2028}", "😀", "\u{10FFFF}",
      ]
      return (0..<bits() % 12).reduce(into: "") { text, _ in text.unicodeScalars.append(scalars[Int(bits() % 12)]) }
    }
    func number() -> Double {
      switch bits() % 4 {
      case 0: Double(Int64(bitPattern: bits()) >> (bits() % 60))
      case 1: 0
      case 2: Double(bits() % 1000) / 8
      default:
        // The test uses any finite number.
        {
          let any = Double(bitPattern: bits())
          return any.isFinite ? any : 1
        }()
      }
    }
    func inner(_ depth: Int) -> Inner {
      Inner(
        list: (0..<bits() % 3).map { _ in number() },
        more: depth == 0 ? [] : (0..<bits() % 3).map { _ in inner(depth - 1) })
    }
    text = string()
    int = Int(truncatingIfNeeded: bits())
    sizes = [.min, .max, Int64(bits() % 10)]
    bytes = [0, 255, UInt8(bits() % 256)]
    unsigned = bits()
    double = number()
    float = Float(bits() % 4096) / 16
    truth = bits() % 2 == 0
    given = bits() % 2 == 0 ? string() : nil
    words = (0..<bits() % 4).map { _ in word() }
    cases = [.plain, .with(Int(bits() % 10), name: string())]
    dictionary = ["": 1]
    dictionary[string()] = .some(nil)
    numbered = [Int(bits() % 100): string(), -1: ""]
    pairs = [word(): true]
    self.inner = inner(2)
  }
}

/// A value that requests its containers in an unusual order.
private struct Odd: Encodable {
  enum Key: CodingKey { case nested, list }
  enum Letter: CodingKey { case a, b }

  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: Key.self)
    var nested = outer.nestedContainer(keyedBy: Letter.self, forKey: .nested)
    var list = outer.nestedUnkeyedContainer(forKey: .list)
    try nested.encode(2, forKey: .b)
    try list.encode(1)
    _ = list.nestedContainer(keyedBy: Letter.self)
    var deeper = list.nestedUnkeyedContainer()
    try deeper.encode(2)
    try list.encodeNil()
    try "super".encode(to: list.superEncoder())
    try nested.encode(1, forKey: .a)
    try 3.encode(to: outer.superEncoder())
    _ = encoder.container(keyedBy: Key.self)
  }
}

/// Any JSON value.
private enum Anything: Codable {
  case null
  case truth(Bool)
  case number(Double)
  case text(String)
  case list([Anything])
  case object([String: Anything])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let truth = try? value.decode(Bool.self) {
      self = .truth(truth)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([Anything].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: Anything].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .truth(let truth): try value.encode(truth)
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .list(let list): try value.encode(list)
    case .object(let members): try value.encode(members)
    }
  }
}

/// Numbers from a seed.
private struct SeededBits {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
