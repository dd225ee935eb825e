/// Builds a tree from libyaml's events.
///
/// Terms. YAML features that a manifest doesn't need are *refused*: aliases and anchors (so that no text grows beyond its size), merge
/// keys, tags, further documents, and nesting beyond `deepest`. Each is a finding.
///
/// Invariant. Reading ends at a syntax error, and at too deep nesting, because libyaml's time per token grows with the depth. The tree so
/// far is kept, and its open nodes aren't whole.
struct YAMLReader: ~Copyable {
  /// The maximum nesting of lists and mappings.
  ///
  /// A manifest needs 4.
  static let deepest = 16

  private var events: YAMLEvents
  private var findings: Findings

  /// Reads the document in `bytes`.
  ///
  /// If there is none, reports why and returns `nil`.
  static func document(from bytes: UnsafeBufferPointer<UInt8>, _ findings: inout Findings) -> YAMLNode? {
    guard let events = YAMLEvents(bytes) else {
      findings.add(.start, "there is not enough memory to read the manifest", "free some memory")
      return nil
    }
    var reader = YAMLReader(events: events, findings: findings)
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
        findings.add(.start, "the manifest is empty", "write version: 1 and initializers")
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
      return try events.next()
    } catch {
      findings.add(error.position, error.problem, error.remedy)
      return nil
    }
  }

  private mutating func node(_ event: YAMLEvent, depth: Int) -> YAMLNode {
    refuseProperties(of: event)
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
      findings.add(event.position, "aliases are not supported: \(quoted("*" + name))", "write the value out here")
      return YAMLNode(position: event.position, content: .refused, isWhole: true)
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
    return YAMLNode(position: position, content: .list(elements), isWhole: false)
  }

  private mutating func mapping(at position: Position, depth: Int) -> YAMLNode {
    var entries: [(key: YAMLNode, value: YAMLNode)] = []
    while let event = next() {
      if case .mappingEnd = event.kind {
        return YAMLNode(position: position, content: .mapping(entries), isWhole: true)
      }
      let key = node(event, depth: depth + 1)
      guard key.isWhole, let next = next() else { break }
      let value = node(next, depth: depth + 1)
      entries.append((key, value))
      if !value.isWhole { break }
    }
    return YAMLNode(position: position, content: .mapping(entries), isWhole: false)
  }

  private mutating func refuseProperties(of event: YAMLEvent) {
    if let anchor = event.anchor {
      findings.add(event.position, "anchors are not supported: \(quoted("&" + anchor))", "remove it")
    }
    if let tag = event.tag {
      let standard = "tag:yaml.org,2002:"
      let written = tag.hasPrefix(standard) ? "!!" + tag.dropFirst(standard.count) : tag
      findings.add(event.position, "tags are not supported: \(quoted(written))", "remove it")
    }
  }
}
