/// A value of a YAML document and its position.
///
/// Invariant. A scalar is its text as written; only the reader of a typed value interprets it.
struct YAMLNode {
  let position: Position
  let content: YAMLContent
  /// Whether the node could be read completely; otherwise no missing entry may be reported.
  let isWhole: Bool

  /// The node's type as a phrase that follows "is".
  var shape: String {
    switch content {
    case .scalar: "text"
    case .list: "a list"
    case .mapping: "a mapping"
    case .refused, .removed: "not usable"
    }
  }

  /// Whether the node was accepted when it was read.
  var isUsable: Bool {
    switch content {
    case .refused, .removed: false
    case .scalar, .list, .mapping: true
    }
  }

  /// Whether the node is an entry that is to be removed.
  var isRemoved: Bool {
    if case .removed = content { true } else { false }
  }

  /// The text, if it is a scalar.
  var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// Returns the value of a key; `nil` if it isn't a mapping, or doesn't have the key.
  ///
  /// Duplicates are a mistake; this returns the first one.
  subscript(key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key.text == key }?.value
  }

  /// Returns the same with another content, at the same position.
  func with(_ content: YAMLContent) -> YAMLNode { YAMLNode(position: position, content: content, isWhole: isWhole) }

  /// Returns a mapping with the value of one key replaced; itself if it doesn't have the key.
  ///
  /// If there are duplicates, the first one is replaced.
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

  /// Whether the node is a scalar without quotes.
  var isPlain: Bool {
    if case .scalar(_, isPlain: true) = content { true } else { false }
  }

  /// Whether YAML reads the text as no value at all.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}

/// What a value of a YAML document consists of.
enum YAMLContent {
  /// A scalar: plain, or in quotes.
  ///
  /// `isPlain`: it isn't quoted and isn't a block.
  case scalar(String, isPlain: Bool)
  /// The elements of a list.
  case list([YAMLNode])
  /// The keys and values of a mapping in the order written, including duplicates.
  case mapping([YAMLEntry])
  /// A value that was refused.
  case refused
  /// An entry that a file removes from the files below it.
  ///
  /// No reader gets it: `ManifestComposer` removes these entries.
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
