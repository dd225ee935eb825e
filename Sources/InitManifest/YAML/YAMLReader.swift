internal import InitText

/// Builds a tree from libyaml's events.
///
/// Terms. YAML features that a manifest doesn't need are *refused*: tags, further documents, and nesting beyond `deepest`. Each is a
/// finding. An *alias* is replaced by the value of its anchor, and keeps its position; a *merge key* (`<<`) adds the keys of a mapping.
///
/// Invariant. Aliases may add at most `mostCopies` values: otherwise a short text could produce any number of them.
///
/// Invariant. Reading ends at a syntax error, and at too deep nesting, because libyaml's time per token grows with the depth. The tree so
/// far is kept, and its open nodes aren't whole.
struct YAMLReader: ~Copyable {
  /// The maximum nesting of lists and mappings.
  ///
  /// A manifest needs 4.
  static let deepest = 16
  /// The maximum number of values that all aliases of a file add.
  static let mostCopies = 500_000

  /// The value of an anchor.
  private struct Anchored {
    let node: YAMLNode
    /// The number of values in the node, including itself.
    let count: Int
    /// The number of nested lists and mappings in the node.
    let height: Int
  }

  private var events: YAMLEvents
  private var findings: Findings
  private let file: Int
  private var anchors: [String: Anchored] = [:]
  /// The anchors whose values are being read.
  private var openAnchors: [String] = []
  /// How many values the aliases so far have added.
  private var copies = 0
  /// Whether the last scalar is plain and ends with `$`: if the text can't be read any further, it is a reference (`${NAME}`) within braces
  /// or brackets that lacks quotes.
  private var mayBeCut = false
  /// How many comparisons of names for suggestions are left, so a long list of mistakes is reported quickly.
  private var comparisons = 50_000

  /// Reads the document in the bytes of a file.
  ///
  /// Returns `nil` if there is no document, and reports why.
  static func document(
    from bytes: UnsafeBufferPointer<UInt8>, file: Int = 0, _ findings: inout Findings
  ) -> YAMLNode? {
    guard let events = YAMLEvents(bytes, file: file) else {
      findings.add(.start(of: file), "there is not enough memory to read the manifest", "free some memory")
      return nil
    }
    var reader = YAMLReader(events: events, findings: findings, file: file)
    let root = reader.document()
    findings = reader.findings
    return root
  }

  private mutating func document() -> YAMLNode? {
    while let event = next() {
      switch event.kind {
      case .streamStart, .documentStart:
        continue
      case .streamEnd, .documentEnd, .listEnd, .mappingEnd:
        findings.add(.start(of: file), "the manifest is empty", "write version: 1 and initializers")
        return nil
      case .scalar, .alias, .listStart, .mappingStart:
        let root = node(event, depth: 1)
        return YAMLNode(position: root.position, content: root.content, isWhole: root.isWhole && isLast())
      }
    }
    return nil
  }

  /// Refuses a second document.
  ///
  /// Returns whether the text could be read completely up to there.
  private mutating func isLast() -> Bool {
    while let event = next() {
      switch event.kind {
      case .documentEnd: continue
      case .documentStart:
        findings.add(event.position, "a second document begins here", "keep one document")
        return true
      case .scalar, .alias, .listStart, .listEnd, .mappingStart, .mappingEnd, .streamStart, .streamEnd: return true
      }
    }
    return false
  }

  private mutating func next() -> YAMLEvent? {
    do {
      let event = try events.next()
      if case .scalar(let text, true) = event.kind {
        mayBeCut = text.utf8.last == UInt8(ascii: "$")
      } else {
        mayBeCut = false
      }
      return event
    } catch {
      findings.add(
        error.position, error.problem,
        mayBeCut ? "put quotes around a value with ${…} that stands within { } or [ ]" : error.remedy)
      return nil
    }
  }

  private mutating func node(_ event: YAMLEvent, depth: Int) -> YAMLNode {
    refuseTag(of: event)
    guard let anchor = event.anchor else { return value(event, depth: depth) }
    openAnchors.append(anchor)
    let node = value(event, depth: depth)
    openAnchors.removeLast()
    let (count, height) = Self.measure(node)
    anchors[anchor] = Anchored(node: node, count: count, height: height)
    return node
  }

  /// Returns how many values a node has, with itself, and how many levels of lists and mappings.
  private static func measure(_ node: YAMLNode) -> (count: Int, height: Int) {
    let parts: [YAMLNode]
    switch node.content {
    case .list(let elements): parts = elements
    case .mapping(let entries): parts = entries.flatMap { [$0.key, $0.value] }
    case .scalar, .refused, .removed: return (1, 0)
    }
    return parts.reduce((count: 1, height: 1)) { whole, part in
      let (count, height) = measure(part)
      return (whole.count + count, max(whole.height, height + 1))
    }
  }

  private mutating func value(_ event: YAMLEvent, depth: Int) -> YAMLNode {
    switch event.kind {
    case .scalar(let text, let isPlain):
      return YAMLNode(position: event.position, content: .scalar(text, isPlain: isPlain), isWhole: true)
    case .listStart where depth <= Self.deepest:
      return list(at: event.position, depth: depth)
    case .mappingStart where depth <= Self.deepest:
      return mapping(at: event.position, depth: depth)
    case .listStart, .mappingStart:
      findings.add(event.position, "this is nested more than \(Self.deepest) levels deep", "use fewer levels")
      return YAMLNode(position: event.position, content: .refused, isWhole: false)
    case .alias(let name):
      return valueOfAlias(name, at: event.position, depth: depth)
        ?? YAMLNode(position: event.position, content: .refused, isWhole: true)
    case .streamStart, .streamEnd, .documentStart, .documentEnd, .listEnd, .mappingEnd:
      return YAMLNode(position: event.position, content: .refused, isWhole: false)
    }
  }

  private mutating func list(at position: Position, depth: Int) -> YAMLNode {
    var elements: [YAMLNode] = []
    while let event = next() {
      if case .listEnd = event.kind { return YAMLNode(position: position, content: .list(elements), isWhole: true) }
      let element = node(event, depth: depth + 1)
      elements.append(element)
      if !element.isWhole { break }
    }
    if takesCut(), let last = elements.popLast() { elements.append(last.with(.refused)) }
    return YAMLNode(position: position, content: .list(elements), isWhole: false)
  }

  private mutating func mapping(at position: Position, depth: Int) -> YAMLNode {
    var entries: [YAMLEntry] = []
    var merges = false
    while let event = next() {
      if case .mappingEnd = event.kind {
        if merges { addMerged(to: &entries) }
        return YAMLNode(position: position, content: .mapping(entries), isWhole: true)
      }
      let key = node(event, depth: depth + 1)
      guard key.isWhole, let next = next() else { break }
      let value = node(next, depth: depth + 1)
      entries.append(YAMLEntry(key, value))
      if Self.isMergeKey(key) { merges = true }
      if !value.isWhole { break }
    }
    if takesCut(), let last = entries.popLast() { entries.append(YAMLEntry(last.key, last.value.with(.refused))) }
    return YAMLNode(position: position, content: .mapping(entries), isWhole: false)
  }

  /// Returns whether the last scalar is cut, which is then told.
  private mutating func takesCut() -> Bool {
    defer { mayBeCut = false }
    return mayBeCut
  }

  private static func isMergeKey(_ key: YAMLNode) -> Bool { key.isPlain && key.text == "<<" }

  /// Replaces merge keys by the entries of their mappings that `entries` doesn't have itself; of several mappings, the first one wins.
  ///
  /// A merge key with an invalid value is reported, and is not removed.
  private mutating func addMerged(to entries: inout [YAMLEntry]) {
    var own: [YAMLEntry] = []
    var added: [YAMLEntry] = []
    for entry in entries {
      guard Self.isMergeKey(entry.key) else {
        own.append(entry)
        continue
      }
      let sources = if case .list(let elements) = entry.value.content { elements } else { [entry.value] }
      for source in sources {
        if case .mapping(let more) = source.content {
          added += more
          continue
        }
        if source.isUsable {
          findings.add(source.position, "a merge key takes mappings, but this is \(source.shape)", "write <<: *ANCHOR")
        }
        own.append(YAMLEntry(entry.key, entry.value.with(.refused)))
      }
    }
    var names = Set(own.compactMap(\.key.text))
    entries = own + added.filter { $0.key.text.map { names.insert($0).inserted } ?? true }
  }

  /// Returns the value of an alias; `nil` if its anchor is missing, which is reported.
  private mutating func valueOfAlias(_ name: String, at position: Position, depth: Int) -> YAMLNode? {
    let remedy = "write the value out here"
    guard !openAnchors.contains(name) else {
      findings.add(position, "the alias \(quoted("*" + name)) is inside of its own anchor", remedy)
      return nil
    }
    guard let anchored = anchors[name] else {
      comparisons -= anchors.count
      let meant = comparisons < 0 ? nil : Suggestion.nearest(to: name, among: anchors.keys.sorted())
      findings.add(
        position, "the alias \(quoted("*" + name)) has no anchor above it",
        meant.map { "did you mean \(quoted("*" + $0))?" }
          ?? "write \(escaped("&" + name)) before the value that it stands for")
      return nil
    }
    guard depth + anchored.height - 1 <= Self.deepest else {
      findings.add(
        position, "the value of the alias \(quoted("*" + name)) is nested more than \(Self.deepest) levels deep here",
        "use fewer levels")
      return nil
    }
    guard copies <= Self.mostCopies - anchored.count else {
      // Reported once: the others are no further mistakes.
      if copies < .max {
        findings.add(
          position, "the aliases of this file stand for more than \(Self.mostCopies) values",
          "use fewer aliases, or shorter values")
      }
      copies = .max
      return nil
    }
    copies += anchored.count
    return anchored.node
  }

  private mutating func refuseTag(of event: YAMLEvent) {
    if let tag = event.tag {
      let standard = "tag:yaml.org,2002:"
      let written = tag.hasPrefix(standard) ? "!!" + tag.dropFirst(standard.count) : tag
      findings.add(event.position, "tags are not supported: \(quoted(written))", "remove it")
    }
  }
}
