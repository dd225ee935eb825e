internal import InitCore
internal import InitDeclarations
internal import InitText
internal import InitWords

extension ManifestReader {
  /// The maximum number of name comparisons for suggestions, so a long list of mistakes is reported quickly.
  private static let comparisons = 50_000
  /// The maximum number of names written out for cycles.
  ///
  /// The first cycle is always reported.
  private static let writtenNames = 10_000

  /// Reports each dependency that isn't declared (S5), or isn't selected by a profile.
  mutating func findMissingDependencies(
    in initializers: [Manifest.Entry<DeclaredInitializer>], names: [String]
  ) {
    let declared = Set(names)
    let unselected = Dictionary(
      initializers.filter { !isSelected($0.profiles) }.map { ($0.declaration.name, $0.profiles) },
      uniquingKeysWith: { first, _ in first })
    var left = Self.comparisons
    for initializer in initializers {
      if !unselected.isEmpty, isSelected(initializer.profiles) {
        findUnselectedDependencies(of: initializer, unselected)
      }
      for key in NamesKey.allCases {
        for (name, position) in initializer.names(key) where !declared.contains(name) {
          if let place = removal(of: name, in: ManifestSection.lists) {
            findings.add(
              position, "the \(key.noun) \(quoted(name)) is removed by \(findings.place(place))",
              "remove it here too, or keep it there")
            continue
          }
          left -= names.count
          let meant =
            left < 0
            ? nil : Suggestion.nearest(to: name, among: names.lazy.filter { $0 != initializer.declaration.name })
          findings.add(
            position, "unknown \(key.noun) \(quoted(name))",
            meant.map { "did you mean \(quoted($0))?" } ?? "declare it under initializers, or remove it here")
        }
      }
    }
  }

  /// Reports each process with `ready` that has the name of an initializer.
  mutating func findSharedNames(of workers: [Field], and initializers: [Field]) {
    let lines = Dictionary(initializers.map { ($0.name, $0.position.line) }) { first, _ in first }
    for worker in workers {
      guard let line = lines[worker.name] else { continue }
      findings.add(
        worker.position, "the initializer on line \(line) is named \(quoted(worker.name)), too", "rename one of them")
    }
  }

  /// Reports each process of an initializer that isn't declared, or isn't selected by a profile.
  mutating func findMissingProcesses(among processes: [Manifest.Entry<DeclaredWorker>], names: [String]) {
    let known = Set(names)
    for reference in references {
      let name = reference.process
      guard known.contains(name) else {
        if let place = removal(of: name, in: ManifestSection.listsOfProcesses) {
          findings.add(
            reference.position, "the process \(quoted(name)) is removed by \(findings.place(place))",
            "keep it there, or write worker: true if another one registers it")
          continue
        }
        let meant = Suggestion.nearest(to: name, among: names).map { "did you mean \(quoted($0))?" }
        findings.add(
          reference.position, "unknown process \(quoted(name))",
          meant ?? "declare it under processes, or write worker: true if another one registers it")
        continue
      }
      let profiles = processes.first { $0.name == name }?.profiles ?? []
      guard !profiles.isEmpty, !isSelected(profiles), isSelected(reference.profiles) else { continue }
      findings.add(
        reference.position,
        "the process \(quoted(name)) is only in the \(profiles.count == 1 ? "profile" : "profiles") \(list(profiles))",
        "select it with --profile \(profiles[0]), or write worker: true")
    }
  }

  /// Returns whether an entry of `workers` has a `ready`, even if that has a mistake.
  func isReadyKnown(_ entry: Field) -> Bool { entry.value["ready"] != nil }

  /// Reports the dependencies that have none of the selected profiles; `unselected` has their profiles.
  private mutating func findUnselectedDependencies(
    of initializer: Manifest.Entry<DeclaredInitializer>, _ unselected: [String: [String]]
  ) {
    for (name, position) in initializer.names(.dependencies) {
      guard let profiles = unselected[name] else { continue }
      findings.add(
        position,
        "the dependency \(quoted(name)) is only in the \(profiles.count == 1 ? "profile" : "profiles") \(list(profiles))",
        "select it with --profile \(profiles[0]), or remove it here")
    }
  }

  /// Reports for each initializer the first two dependencies whose outputs would share an environment variable.
  mutating func findSharedVariables(in initializers: [Manifest.Entry<DeclaredInitializer>]) {
    for initializer in initializers {
      guard let clash = InputVariableName.clash(in: initializer.declaration.dependencies) else { continue }
      let dependencies = initializer.names(.dependencies)
      let names = [clash.first, clash.second].map { quoted(dependencies[$0].name) }.joined(separator: " and ")
      findings.add(
        dependencies[clash.second].position,
        "the dependencies \(names) share the variable \(clash.variable)", "rename one of them")
    }
  }

  /// Reports each cycle once (S5), at the position where its first initializer lists the next one.
  ///
  /// Every dependency that leads back to an initializer on the path to it closes one cycle. The path is kept in a stack of
  /// its own: a chain of 100,000 is a long list, not a deep recursion.
  ///
  /// An initializer also depends on the process that registers it. `unready` lists the processes that aren't initializers; one of
  /// them may have the name of an initializer.
  mutating func findCycles(
    in initializers: [Manifest.Entry<DeclaredInitializer>], and unready: [Manifest.Entry<DeclaredInitializer>]
  ) {
    enum Mark {
      case unseen
      case open(depth: Int)
      case closed
    }
    let places = Dictionary(
      initializers.enumerated().map { ($0.element.declaration.name, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    let nodes = initializers + unready
    let processes = Dictionary(
      nodes.enumerated().filter { $0.element.isProcess }.map { ($0.element.declaration.name, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    let waits = nodes.map { node in
      var waits = NamesKey.allCases.flatMap { key in
        node.names(key).compactMap { name, position in
          places[name].map { (place: $0, position: position) }
        }.filter { key == .dependencies || nodes[$0.place].declaration.priority == node.declaration.priority }
      }
      if let process = node.declaration.process.flatMap({ processes[$0] }) { waits.append((process, node.position)) }
      return waits
    }
    var marks = [Mark](repeating: .unseen, count: nodes.count)
    var path: [(place: Int, next: Int)] = []
    var written = 0

    for root in nodes.indices {
      guard case .unseen = marks[root] else { continue }
      marks[root] = .open(depth: 0)
      path.append((root, 0))
      while let (place, next) = path.last {
        guard next < waits[place].count else {
          marks[place] = .closed
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let target = waits[place][next].place
        switch marks[target] {
        case .unseen:
          marks[target] = .open(depth: path.count)
          path.append((target, 0))
        case .open(let depth):
          let cycle = (path[depth...].map(\.place) + [target]).map { nodes[$0].declaration.name }
          written += cycle.count
          guard written == cycle.count || written <= Self.writtenNames else { return }
          findings.add(
            waits[target][path[depth].next - 1].position,
            "circular dependency \(cycle.map(escaped).joined(separator: " -> "))", "remove one of these dependencies")
        case .closed: break
        }
      }
    }
  }
}
