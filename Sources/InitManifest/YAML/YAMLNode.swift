/// A value of a YAML document and its position.
///
/// Invariant. A scalar is its text as written; only the reader of a typed value interprets it.
struct YAMLNode {
  let position: Position
  let content: YAMLContent
  /// Whether it could be read completely; if not, nothing may be reported missing from it.
  let isWhole: Bool

  /// The node's type in words, to follow "is".
  var shape: String {
    switch content {
    case .scalar: "text"
    case .list: "a list"
    case .mapping: "a mapping"
    case .refused, .removed: "not usable"
    }
  }

  /// Whether it wasn't refused when it was read.
  var isUsable: Bool {
    switch content {
    case .refused, .removed: false
    case .scalar, .list, .mapping: true
    }
  }

  /// Whether it is an entry that is to be removed.
  var isRemoved: Bool {
    if case .removed = content { true } else { false }
  }

  /// The text, if it is a scalar.
  var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// Returns the value of a key; `nil` if it isn't a mapping, or doesn't have the key.
  ///
  /// Of duplicates, which are a mistake, it is the first one.
  subscript(key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key.text == key }?.value
  }

  /// Returns the same with another content, at the same position.
  func with(_ content: YAMLContent) -> YAMLNode { YAMLNode(position: position, content: content, isWhole: isWhole) }

  /// Returns a mapping with the value of one key replaced; itself if it doesn't have the key.
  ///
  /// Of duplicates, the first one is replaced.
  func replacing(_ key: String, _ value: (YAMLNode) -> YAMLNode) -> YAMLNode {
    guard case .mapping(var entries) = content, let index = entries.firstIndex(where: { $0.key.text == key }) else {
      return self
    }
    entries[index].value = value(entries[index].value)
    return with(.mapping(entries))
  }

  /// Returns a mapping with each value replaced; itself if it isn't a mapping.
  func mapValues(_ value: (YAMLNode) -> YAMLNode) -> YAMLNode {
    guard case .mapping(let entries) = content else { return self }
    return with(.mapping(entries.map { YAMLEntry($0.key, value($0.value)) }))
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

/// What a value of a YAML document consists of.
enum YAMLContent {
  /// A word or a text.
  ///
  /// `isPlain`: it isn't quoted and isn't a block.
  case scalar(String, isPlain: Bool)
  /// The elements of a list.
  case list([YAMLNode])
  /// The keys and values of a mapping in the order written, including duplicates.
  case mapping([YAMLEntry])
  /// A value that was refused.
  case refused
  /// An entry that a file has removed from those below it. No reader gets it: `ManifestComposer` removes these entries.
  case removed
}

/// A key of a mapping and its value, as written.
struct YAMLEntry {
  var key: YAMLNode
  var value: YAMLNode

  init(_ key: YAMLNode, _ value: YAMLNode) {
    self.key = key
    self.value = value
  }
}
