extension ManifestComposer {
  /// Returns the tree with absolute paths, if a path is written in another directory than that of the first file.
  ///
  /// All other relative paths start at the directory of the first file. A command that is written in another directory also runs there.
  func located(_ root: YAMLNode) -> YAMLNode {
    guard let first = directories.first, directories.contains(where: { $0 != first }) else { return root }
    return located(root, elsewhere: { directories[$0] == first ? nil : directories[$0] })
  }

  /// Returns the tree with absolute paths only.
  func withAbsolutePaths(_ root: YAMLNode) -> YAMLNode { located(root, elsewhere: { directories[$0] }) }

  /// Returns the tree with absolute paths, if `elsewhere` returns a directory for their file.
  private func located(_ root: YAMLNode, elsewhere: (Int) -> String?) -> YAMLNode {
    return ManifestSection.lists.reduce(root) { root, kind in
      root.replacing(kind) { entries in entries.mapValues { located(entry: $0, elsewhere) } }
    }
  }

  private func located(entry: YAMLNode, _ elsewhere: (Int) -> String?) -> YAMLNode {
    guard case .mapping(var entries) = entry.content else { return entry }
    for place in entries.indices {
      let value = entries[place].value
      switch entries[place].key.text {
      case "command", "stop": entries[place].value = located(command: value, elsewhere)
      case "workingDirectory": entries[place].value = located(path: value, elsewhere)
      case "waitFor", "ready", "healthy", "when", "unless":
        entries[place].value = value.replacing("path") { located(path: $0, elsewhere) }
          .replacing("unix") { located(path: $0, elsewhere) }
          .replacing("missing") { located(path: $0, elsewhere) }
          .replacing("command") { located(command: $0, elsewhere) }
      case "inputs":
        if case .list(let paths) = value.content {
          entries[place].value = value.with(.list(paths.map { located(path: $0, elsewhere) }))
        }
      default: break
      }
    }
    if let command = entry["command"], entry["workingDirectory"] == nil,
      let directory = elsewhere(command.position.file)
    {
      let place = command.position
      entries.append(
        YAMLEntry(
          YAMLNode(position: place, content: .scalar("workingDirectory", isPlain: true), isWhole: true),
          YAMLNode(position: place, content: .scalar(directory, isPlain: false), isWhole: true)))
    }
    return entry.with(.mapping(entries))
  }

  /// Returns a command with the absolute path of its program; a line for the shell, and a program in PATH, stay as they are.
  private func located(command: YAMLNode, _ elsewhere: (Int) -> String?) -> YAMLNode {
    guard case .list(let words) = command.content, let program = words.first,
      program.text?.contains("/" as Character) == true
    else { return command }
    return command.with(.list([located(path: program, elsewhere)] + words.dropFirst()))
  }

  private func located(path: YAMLNode, _ elsewhere: (Int) -> String?) -> YAMLNode {
    guard let text = path.text, !path.isNull, !text.isEmpty, let directory = elsewhere(path.position.file) else {
      return path
    }
    return path.with(.scalar(Self.join(directory, text), isPlain: false))
  }
}
