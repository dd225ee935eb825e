/// A value of a YAML document and where it stands.
///
/// Law. A scalar is its text as written: what it means is decided where a typed value is wanted, never here.
struct YAMLNode {
  enum Content {
    /// A word or a text. `isPlain`: it stands without quotes and isn't a block.
    case scalar(String, isPlain: Bool)
    /// The elements of a list.
    case list([YAMLNode])
    /// The keys and values of a mapping in the order written, equal keys included.
    case mapping([(key: YAMLNode, value: YAMLNode)])
    /// Something that was refused when it was read.
    case refused
  }

  let position: Position
  let content: Content
  /// Whether all of it could be read: if not, nothing may be called missing from it.
  let isWhole: Bool

  /// The node's shape in words, to stand behind "is".
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
