/// A word of the protocol as a supervisor wrote it: one that this version knows, or one that a later version added.
///
/// Shapes hold what is read in such words, so that a client can show a status or a phase that it has never heard of. Requests
/// don't: the supervisor refuses a word that it doesn't know.
public enum Word<Known: RawRepresentable<String> & Sendable & Hashable>: Sendable, Hashable {
  /// A word of this version.
  case known(Known)
  /// A word of a later version, as it was written. For a terminal or a log it goes through `TerminalText.escape(_:)`.
  case unknown(String)

  /// The word on the wire.
  public var rawValue: String {
    switch self {
    case .known(let word): word.rawValue
    case .unknown(let text): text
    }
  }

  /// The word if this version knows it.
  public var known: Known? {
    switch self {
    case .known(let word): word
    case .unknown: nil
    }
  }

  /// Reads a word.
  public init(_ text: String) {
    self = Known(rawValue: text).map(Self.known) ?? .unknown(text)
  }

  /// Whether it is that word of this version.
  public static func == (left: Self, right: Known) -> Bool { left.known == right }
  /// Whether it isn't that word of this version.
  public static func != (left: Self, right: Known) -> Bool { left.known != right }
}

extension Word: JSONValue {
  /// Reads any string.
  package static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> Word {
    Word(try String.read(json, manner))
  }

  /// Writes the word as it stands.
  package func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}
