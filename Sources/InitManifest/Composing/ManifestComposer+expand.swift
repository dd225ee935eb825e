internal import InitDeclarations

extension ManifestComposer {
  /// The keys of an initializer or a process, other than `environment`, whose values are expanded.
  ///
  /// A command is expanded if it is a list; in a text, the shell does it.
  static func isExpanded(_ key: String, _ value: YAMLNode) -> Bool {
    switch key {
    case "workingDirectory", "waitFor", "ready": true
    case "command", "stop": if case .list = value.content { true } else { false }
    default: false
    }
  }

  /// Returns the tree with the variables of environment files in its environments, and with the values of `${NAME}`.
  ///
  /// Variables come from these places, and a later one overrides: the caller, the manifest's environment files and `environment`, and the
  /// command's own environment files and `environment`. Inside an `environment`, the variables above are known. Entries that no profile
  /// selects aren't expanded.
  mutating func expanded(_ root: YAMLNode) -> YAMLNode {
    var scope = VariableScope(files.variables)
    var root = root
    if case .mapping = root.content { root = withEnvironment(root, &scope) }
    for kind in ManifestSection.lists {
      guard case .mapping(var entries)? = root[kind]?.content else { continue }
      for place in entries.indices { entries[place].value = expanded(entry: entries[place].value, scope) }
      root = root.replacing(kind) { $0.with(.mapping(entries)) }
    }
    return root
  }

  private mutating func expanded(entry: YAMLNode, _ scope: VariableScope) -> YAMLNode {
    guard case .mapping = entry.content, reader.isSelected(entry) else { return entry }
    var scope = scope
    // Only commands have an environment.
    var entry = entry["command"] == nil ? entry : withEnvironment(entry, &scope)
    guard case .mapping(var entries) = entry.content else { return entry }
    for place in entries.indices {
      let (key, value) = (entries[place].key.text ?? "", entries[place].value)
      if Self.isExpanded(key, value) { entries[place].value = expanded(value: value, scope) }
      if key == "unless" {
        entries[place].value = value.replacing("command") { command in
          Self.isExpanded("command", command) ? expanded(value: command, scope) : command
        }
      }
    }
    entry = entry.with(.mapping(entries))
    return entry
  }

  /// Returns a mapping whose `environment` has the variables of its `environmentFile` and no references, and adds all of them to the scope.
  private mutating func withEnvironment(_ node: YAMLNode, _ scope: inout VariableScope) -> YAMLNode {
    let fromFiles = node["environmentFile"].map { environment(ofFiles: $0) } ?? []
    let own = node["environment"]
    guard !fromFiles.isEmpty || own != nil else { return node }
    scope = scope.adding(Self.values(of: fromFiles))
    guard let own else {
      let key = fromFiles[0].key.with(.scalar("environment", isPlain: true))
      guard case .mapping(let entries) = node.content else { return node }
      return node.with(.mapping(entries + [YAMLEntry(key, key.with(.mapping(fromFiles)))]))
    }
    guard case .mapping(var entries) = own.content else { return node }
    for place in entries.indices {
      let name = entries[place].key.text ?? ""
      let value = entries[place].value
      if let reference = value.text.flatMap({ VariableReference.first(in: $0) }) {
        reader.warnings.add(
          value.position, "environment \(escaped(name)): \(quoted("$" + reference)) is passed on literally",
          "write ${\(reference)} for the value of the variable")
      }
      entries[place].value = expanded(value: value, scope)
      if let text = entries[place].value.text { scope.set(name, text) }
    }
    let names = Set(entries.compactMap(\.key.text))
    let all = fromFiles.filter { !names.contains($0.key.text ?? "") } + entries
    return node.replacing("environment") { $0.with(.mapping(all)) }
  }

  private static func values(of entries: [YAMLEntry]) -> [String: String] {
    var values: [String: String] = [:]
    for entry in entries { if let name = entry.key.text, let text = entry.value.text { values[name] = text } }
    return values
  }

  /// Returns the value with the values of its variables; each mistake is reported at its text.
  private mutating func expanded(value: YAMLNode, _ scope: VariableScope) -> YAMLNode {
    switch value.content {
    case .refused, .removed: return value
    case .list(let elements):
      var expandedElements: [YAMLNode] = []
      for element in elements { expandedElements.append(expanded(value: element, scope)) }
      return value.with(.list(expandedElements))
    case .mapping(var entries):
      for place in entries.indices { entries[place].value = expanded(value: entries[place].value, scope) }
      return value.with(.mapping(entries))
    case .scalar(let text, let isPlain):
      do throws(VariableScope.Mistake) {
        let result = try scope.expand(text)
        guard result != text else { return value }
        // An empty value is a text, not a missing one.
        let plain = value.with(.scalar(result, isPlain: isPlain))
        return plain.isNull ? value.with(.scalar(result, isPlain: false)) : plain
      } catch {
        reader.findings.add(value.position, error.problem, error.remedy)
        return value.with(.refused)
      }
    }
  }

  /// Returns the variables of environment files, as expanded texts; later files override earlier ones.
  private mutating func environment(ofFiles list: YAMLNode) -> [YAMLEntry] {
    // The reader reports another value.
    guard case .list(let elements) = list.content else { return [] }
    var places: [String: Int] = [:]
    var entries: [YAMLEntry] = []
    for element in elements {
      guard let name = element.text, !name.allSatisfy(\.isWhitespace), !element.isNull, !name.utf8.contains(0) else {
        continue
      }
      let path = Self.join(Self.directory(of: reader.findings.files[element.position.file]), name)
      for variable in environmentFile(path, at: element.position)?.variables ?? [] {
        let name = variable.key.text ?? ""
        if let place = places[name] {
          entries[place] = variable
        } else {
          places[name] = entries.count
          entries.append(variable)
        }
      }
    }
    for place in entries.indices {
      guard let text = entries[place].value.text, ValueReference.mayBe(in: text) else { continue }
      entries[place].value = entries[place].value.with(.scalar(ValueReference.text([.text(text)]), isPlain: false))
    }
    return entries
  }

  /// Reads an environment file, unless it has been read; `nil` if it can't be read, which is reported at the first position that names it.
  private mutating func environmentFile(_ path: String, at position: Position) -> EnvironmentFile? {
    if let known = environmentFiles[path] { return known }
    guard let contents = contents(of: path, at: position, in: "environmentFile") else {
      environmentFiles[path] = .some(nil)
      return nil
    }
    let number = begin(path, contents)
    let file = EnvironmentFile(contents.bytes, file: number, &reader.findings)
    environmentFiles[path] = file
    return file
  }
}
