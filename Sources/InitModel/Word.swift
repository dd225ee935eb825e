public import InitJSON

/// A name in the protocol from a supervisor: a name that this version knows, or a name of a later version.
///
/// Shapes use it so that a client can show a status or a phase that it doesn't know. Requests don't use it: the supervisor refuses an
/// unknown name.
public enum Word<Known: RawRepresentable<String> & CaseIterable & Sendable & Hashable>: Sendable, Hashable {
  /// A name of this version.
  case known(Known)
  /// A name of a later version, unchanged.
  ///
  /// Use `TerminalText.escape(_:)` before showing it in a terminal or a log.
  case unknown(String)

  /// The name on the wire.
  public var rawValue: String {
    switch self {
    case .known(let word): word.rawValue
    case .unknown(let text): text
    }
  }

  /// The name, if this version knows it.
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

  /// Returns whether the word is this name.
  public static func == (left: Self, right: Known) -> Bool {
    switch left {
    case .known(let word): word == right
    case .unknown: false
    }
  }
  /// Returns whether the word isn't this name.
  public static func != (left: Self, right: Known) -> Bool { !(left == right) }
}

extension Optional {
  /// Returns whether there is a word, and it is this name.
  public static func == <Known>(left: Word<Known>?, right: Known) -> Bool where Wrapped == Word<Known> {
    left.map { $0 == right } ?? false
  }
}

extension Word: JSONValue {
  /// Reads any string.
  public static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> Word {
    Word(try String.read(json, manner))
  }

  /// Returns the names of this version; there may be others.
  public static func form(in _: SchemaBook) -> SchemaBook.Form {
    .words(Known.allCases.map(\.rawValue), isOpen: true)
  }

  /// Writes the name unchanged.
  public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}

/// A value of an enumeration with a name in the protocol.
public protocol WireWord: JSONValue, RawRepresentable<String>, CaseIterable, Hashable {}

extension WireWord {
  /// Reads the value.
  public static func read(_ json: RawJSON, _: ReadingManner) throws(ShapeFault) -> Self {
    guard let word = json.string.flatMap(Self.init(rawValue:)) else {
      throw .must("one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
    }
    return word
  }

  /// Writes the value.
  public func write(to writer: inout JSONWriter) { writer.string(rawValue) }

  /// Returns the names.
  public static func form(in _: SchemaBook) -> SchemaBook.Form { .words(allCases.map(\.rawValue), isOpen: false) }
}
