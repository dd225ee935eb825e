package import InitJSON

/// A word of the protocol from a supervisor: one that this version knows, or one of a later version.
///
/// Shapes use it so that a client can show a status or a phase that it doesn't know. Requests don't use it: the supervisor refuses an
/// unknown word.
package enum Word<Known: RawRepresentable<String> & Sendable & Hashable>: Sendable, Hashable {
  /// A word of this version.
  case known(Known)
  /// A word of a later version, unchanged.
  ///
  /// Use `TerminalText.escape(_:)` before showing it in a terminal or a log.
  case unknown(String)

  /// The word on the wire.
  package var rawValue: String {
    switch self {
    case .known(let word): word.rawValue
    case .unknown(let text): text
    }
  }

  /// The word, if this version knows it.
  package var known: Known? {
    switch self {
    case .known(let word): word
    case .unknown: nil
    }
  }

  /// Reads a word.
  package init(_ text: String) {
    self = Known(rawValue: text).map(Self.known) ?? .unknown(text)
  }

  /// Whether it is this word.
  package static func == (left: Self, right: Known) -> Bool {
    switch left {
    case .known(let word): word == right
    case .unknown: false
    }
  }
  /// Whether it isn't this word.
  package static func != (left: Self, right: Known) -> Bool { !(left == right) }
}

extension Word: JSONValue {
  /// Reads any string.
  package static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> Word {
    Word(try String.read(json, manner))
  }

  /// Writes the word unchanged.
  package func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}

/// A value of an enumeration, as a word of the protocol.
package protocol WireWord: JSONValue, RawRepresentable<String>, CaseIterable, Hashable {}

extension WireWord {
  package static func read(_ json: RawJSON, _: ReadingManner) throws(ShapeFault) -> Self {
    guard let word = json.string.flatMap(Self.init(rawValue:)) else {
      throw .must("one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
    }
    return word
  }

  package func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}
