package import InitJSON

/// The id that connects an answer to its request: a 64-bit integer, or a string of at most 64 bytes (protocol §2).
package enum RequestID: Sendable {
  /// A 64-bit integer.
  case number(Int64)
  /// A string of at most 64 bytes of UTF-8.
  case string(String)

  /// The maximum length of a string, in bytes of UTF-8.
  package static let longestString = 64

  /// Reads the id in a message; nil if it isn't valid.
  ///
  /// The text decides: `1.0`, `1e2`, `null`, an integer out of range, and a string that is too long after unescaping aren't valid. `-0` is
  /// 0.
  package init?(_ value: RawJSON) {
    if let number = value.integer {
      self = .number(number)
    } else if let string = value.string, string.utf8.count <= Self.longestString {
      self = .string(string)
    } else {
      return nil
    }
  }
}

extension RequestID: Hashable {
  /// Returns whether two ids are the same, byte by byte: `String` treats canonically equivalent texts as equal.
  package static func == (one: RequestID, other: RequestID) -> Bool {
    switch (one, other) {
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.number, .string), (.string, .number): false
    }
  }

  /// Hashes the id's bytes.
  package func hash(into hasher: inout Hasher) {
    switch self {
    case .number(let number): hasher.combine(number)
    case .string(let string): for byte in string.utf8 { hasher.combine(byte) }
    }
  }
}

extension RequestID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// Creates a numeric id.
  package init(integerLiteral value: Int64) { self = .number(value) }
  /// Creates a string id, of at most 64 bytes.
  package init(stringLiteral value: String) { self = .string(value) }
}

extension RequestID: CustomStringConvertible {
  /// The id without quotes, for logs.
  package var description: String {
    switch self {
    case .number(let number): String(number)
    case .string(let string): string
    }
  }
}
