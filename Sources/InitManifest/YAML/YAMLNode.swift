/// A value of a YAML document and its position.
///
/// Invariant. A scalar is its text as written; only the reader of a typed value interprets it.
struct YAMLNode {
  enum Content {
    /// A word or a text.
    ///
    /// `isPlain`: it isn't quoted and isn't a block.
    case scalar(String, isPlain: Bool)
    /// The elements of a list.
    case list([YAMLNode])
    /// The keys and values of a mapping in the order written, including duplicates.
    case mapping([(key: YAMLNode, value: YAMLNode)])
    /// A value that was refused.
    case refused
  }

  let position: Position
  let content: Content
  /// Whether it could be read completely; if not, nothing may be reported missing from it.
  let isWhole: Bool

  /// The node's type in words, to follow "is".
  var shape: String {
    switch content {
    case .scalar: "text"
    case .list: "a list"
    case .mapping: "a mapping"
    case .refused: "not usable"
    }
  }

  /// Whether it wasn't refused when it was read.
  var isUsable: Bool {
    if case .refused = content { false } else { true }
  }

  /// Whether it is a scalar without quotes.
  var isPlain: Bool {
    if case .scalar(_, isPlain: true) = content { true } else { false }
  }

  /// Whether YAML reads it as no value at all.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}
