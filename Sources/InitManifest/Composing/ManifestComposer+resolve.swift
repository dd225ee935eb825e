extension ManifestComposer {
  /// Returns a tree without references to other files, as the YAML of one file that means the same anywhere on this machine.
  ///
  /// `tree` is the result of `tree(of:)`, and has no mistakes.
  func resolved(_ tree: YAMLNode) -> String {
    var root = withAbsolutePaths(tree).without(["include", "defaults", "environmentFile"])
    for kind in ManifestSection.lists {
      root = root.replacing(kind) { kind in
        guard case .mapping(let entries) = kind.content else { return kind }
        let selected = entries.filter { reader.isSelected($0.value) }
        return kind.with(
          .mapping(selected.map { YAMLEntry($0.key, $0.value.without(["environmentFile", "profiles"]).escaped()) }))
      }
    }
    return root.replacing("environment") { $0.mapValues { $0.literal() } }.yaml
  }
}

extension YAMLNode {
  /// Returns a mapping without these keys.
  fileprivate func without(_ keys: [String]) -> YAMLNode {
    guard case .mapping(let entries) = content else { return self }
    return with(.mapping(entries.filter { $0.key.text.map { !keys.contains($0) } ?? true }))
  }

  /// Returns an initializer or a process whose expanded values are not expanded again.
  fileprivate func escaped() -> YAMLNode {
    let node = replacing("environment") { $0.mapValues { $0.literal() } }
    guard case .mapping(let entries) = node.content else { return node }
    return node.with(
      .mapping(
        entries.map { entry in
          let isExpanded = ManifestComposer.isExpanded(entry.key.text ?? "", entry.value)
          if entry.key.text == "unless" {
            let value = entry.value.replacing("command") { command in
              ManifestComposer.isExpanded("command", command) ? command.literal() : command
            }
            return YAMLEntry(entry.key, value)
          }
          return isExpanded ? YAMLEntry(entry.key, entry.value.literal()) : entry
        }))
  }

  /// Returns a value whose texts are not expanded again.
  fileprivate func literal() -> YAMLNode {
    switch content {
    case .scalar(let text, let isPlain): with(.scalar(VariableScope.escape(text), isPlain: isPlain))
    case .list(let elements): with(.list(elements.map { $0.literal() }))
    case .mapping: mapValues { $0.literal() }
    case .refused, .removed: self
    }
  }
}
