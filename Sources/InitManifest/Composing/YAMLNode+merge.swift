extension YAMLNode {
  /// Returns this value merged with the value above it: mappings are merged by key, and any other value is replaced.
  ///
  /// A key without a value (`name: null`) removes the key below it, and leaves an entry that is `removed`. If there is none below it, the
  /// key stays as written, but a variable of an `environment` isn't set. The keys of this value keep their order; additional keys follow.
  func merged(with over: YAMLNode, isEnvironment: Bool = false) -> YAMLNode {
    guard case .mapping(var entries) = content, case .mapping(let more) = over.content else { return over }
    var places: [String: Int] = [:]
    for (place, entry) in entries.enumerated() {
      // Duplicates are a mistake; the first one is merged.
      if let name = entry.key.text, places[name] == nil { places[name] = place }
    }
    var seen: Set<String> = []
    for entry in more {
      guard let name = entry.key.text, seen.insert(name).inserted, let place = places[name] else {
        if !(isEnvironment && entry.value.isNull) { entries.append(entry) }
        continue
      }
      if entry.value.isNull {
        entries[place] = YAMLEntry(entry.key, entry.value.with(.removed))
      } else if case .mapping = entry.value.content, case .mapping = entries[place].value.content {
        entries[place].value = entries[place].value.merged(with: entry.value, isEnvironment: name == "environment")
      } else {
        entries[place] = entry
      }
    }
    return YAMLNode(position: position, content: .mapping(entries), isWhole: isWhole && over.isWhole)
  }

  /// Returns the values of this tree that aren't mappings, although the value above them is one, with their keys: they have no effect.
  ///
  /// No key of a manifest can have both kinds of values.
  func replaced(byMappingsOf over: YAMLNode) -> [(path: [String], node: YAMLNode)] {
    guard case .mapping(let more) = over.content else { return [] }
    guard case .mapping(let entries) = content else { return isNull ? [] : [([], self)] }
    let above = Dictionary(more.compactMap { entry in entry.key.text.map { ($0, entry.value) } }) { first, _ in first }
    return entries.flatMap { entry -> [(path: [String], node: YAMLNode)] in
      guard let name = entry.key.text, let value = above[name] else { return [] }
      return entry.value.replaced(byMappingsOf: value).map { ([name] + $0.path, $0.node) }
    }
  }

  /// The positions at which entries of this mapping are removed, by their names.
  var removals: [String: Position] {
    guard case .mapping(let entries) = content else { return [:] }
    return Dictionary(
      entries.compactMap { entry in entry.value.isRemoved ? entry.key.text.map { ($0, entry.key.position) } : nil }
    ) { first, _ in first }
  }

  /// Returns the value without entries that are `removed`.
  func withoutRemoved() -> YAMLNode {
    guard case .mapping(let entries) = content else { return self }
    return with(
      .mapping(entries.compactMap { $0.value.isRemoved ? nil : YAMLEntry($0.key, $0.value.withoutRemoved()) }))
  }
}
