internal import InitCore
internal import InitText

/// A key of a mapping and its value.
struct Field {
  let name: String
  /// The position of the key.
  let position: Position
  let value: YAMLNode
}

/// The entries of a mapping whose keys are names of the author's choice, in the order written.
struct Entries {
  var list: [Field] = []
  /// Whether all entries could be read; otherwise there may be more.
  var isWhole = true
}

/// The entries of a mapping whose keys are defined by the manifest.
struct Fields {
  /// The number of fields up to which comparing their names is faster than hashing one.
  private static let few = 16

  private var list: [Field] = []
  /// The fields by name, if they aren't few.
  private var byName: [String: Field] = [:]
  /// Whether all entries could be read; otherwise there may be more.
  fileprivate(set) var isWhole = true
  /// Whether a key isn't one of the section's, which was reported.
  fileprivate(set) var hasUnknown = false

  fileprivate init(isWhole: Bool) { self.isWhole = isWhole }

  subscript(name: String) -> Field? { byName.isEmpty ? list.first { $0.name == name } : byName[name] }

  fileprivate mutating func add(_ field: Field) {
    list.append(field)
    guard list.count > Self.few else { return }
    if byName.isEmpty { for each in list { byName[each.name] = each } } else { byName[field.name] = field }
  }
}

extension ManifestReader {
  /// The number of keys up to which the remedy for an unknown key has all of them.
  private static let mostShownKeys = 8

  /// Reads the fields of a mapping that may have only the keys of a section; `nil` if it isn't a mapping.
  mutating func fields(
    of node: YAMLNode, called label: String, _ section: ManifestSection, example: String
  ) -> Fields? {
    guard let entries = entries(of: node, called: label, kind: "key", example: example) else { return nil }
    let allowed = allowedNames(in: section)
    var fields = Fields(isWhole: entries.isWhole)
    for field in entries.list where fields[field.name] == nil {
      fields.add(field)
      guard !allowed.contains(field.name) else { continue }
      fields.hasUnknown = true
      findings.add(
        field.position, "unknown key \(quoted(field.name)) in \(label)", remedy(forUnknown: field.name, in: section))
    }
    return fields
  }

  /// Returns the names that a mapping may have, which are found once for all entries of a section.
  private mutating func allowedNames(in section: ManifestSection) -> [String] {
    if let known = knownNames[section.rawValue] { return known }
    let names = section.keyNames(for: purpose)
    knownNames[section.rawValue] = names
    return names
  }

  /// Returns the remedy for an unknown key.
  private func remedy(forUnknown name: String, in section: ManifestSection) -> String {
    let allowed = section.keyNames(for: purpose)
    let other = section.counterpart(for: purpose).flatMap {
      $0.section.keyNames(for: purpose).contains(name) ? $0.list : nil
    }
    let meant = ForeignWord.keys(for: name, among: allowed)
    if !meant.isEmpty {
      let question = "did you mean \(meant.map(quoted).joined(separator: " or "))?"
      return question + (other.map { " Only entries of \($0) have \(quoted(name))" } ?? "")
    }
    if let other { return "remove it, or move the entry to \(other): only its entries have this key" }
    if name == "https", allowed.contains("http") {
      return "https is not supported; " + HTTPTarget.remedyForHTTPS("https://…")
    }
    if let near = Suggestion.nearest(to: name, among: allowed) { return "did you mean \(quoted(near))?" }
    guard allowed.count > Self.mostShownKeys else { return "write one of \(list(allowed))" }
    let nearest = Suggestion.ranked(allowed, by: name).prefix(3)
    return "write e.g. \(list(Array(nearest))); man init.yaml has all \(allowed.count) keys"
  }

  /// Reads the entries of a mapping; `kind` is their noun.
  ///
  /// Reports duplicate names. The result is `nil` if it isn't a mapping.
  mutating func entries(of node: YAMLNode, called label: String, kind: String, example: String) -> Entries? {
    guard case .mapping(let pairs) = node.content else {
      reportWrong(node, called: label, wanted: "a mapping", example: example)
      return nil
    }
    var entries = Entries(isWhole: node.isWhole)
    var places: [String: Position] = [:]
    for pair in pairs {
      guard case .scalar(let name, let isPlain) = pair.key.content else {
        if pair.key.isUsable { findings.add(pair.key.position, "a key cannot be \(pair.key.shape)", "write a word") }
        entries.isWhole = false
        continue
      }
      // The mapping to merge couldn't be read, which was reported.
      guard name != "<<" || !isPlain else {
        entries.isWhole = false
        continue
      }
      if let place = places[name] {
        let isHere = place.file == pair.key.position.file
        findings.add(
          pair.key.position,
          "the \(kind) \(quoted(name)) is already on line \(place.line)\(isHere ? "" : " of \(findings.name(of: place))")",
          "remove or rename one of them")
      } else {
        places[name] = pair.key.position
      }
      entries.list.append(Field(name: name, position: pair.key.position, value: pair.value))
    }
    return entries
  }

  /// Reports that a value has the wrong type, unless it was already refused.
  mutating func reportWrong(_ node: YAMLNode, called label: String, wanted: String, example: String) {
    guard node.isUsable else { return }
    if node.isNull {
      findings.add(node.position, "\(label) has no value", "write \(example), or remove it")
    } else {
      findings.add(node.position, "\(label) is \(node.shape), not \(wanted)", "write \(example)")
    }
  }
}
