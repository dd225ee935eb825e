extension ManifestComposer {
  /// Returns the tree with the values of `defaults` in each initializer that doesn't have them.
  ///
  /// A mapping is merged with the initializer's own mapping. An initializer does without a default if it has the key without a value.
  func withDefaults(_ root: YAMLNode) -> YAMLNode {
    guard case .mapping(let entries)? = root["defaults"]?.content else { return root }
    let keys = ManifestSection.defaults.keyNames(for: reader.purpose)
    let forCommands = entries.filter { entry in
      entry.key.text.map { keys.contains($0) } == true && !entry.value.isNull
    }
    let forOthers = forCommands.filter { entry in
      entry.key.text.map { !ManifestSection.commandKeys.contains($0) } == true
    }
    return root.replacing("initializers") { initializers in
      initializers.mapValues { $0["command"] == nil ? $0.adding(forOthers) : $0.adding(forCommands) }
    }
  }
}

extension YAMLNode {
  /// Returns a mapping with default values of its keys; itself if it isn't a mapping.
  fileprivate func adding(_ defaults: [YAMLEntry]) -> YAMLNode {
    guard case .mapping(var entries) = content else { return self }
    for usual in defaults {
      guard let place = entries.firstIndex(where: { $0.key.text == usual.key.text }) else {
        entries.append(usual)
        continue
      }
      let own = entries[place].value
      guard !own.isRemoved else { continue }
      entries[place].value = own.isNull ? own.with(.removed) : usual.value.merged(with: own)
    }
    return with(.mapping(entries))
  }
}
