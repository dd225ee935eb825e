internal import InitCore
package import InitDeclarations
internal import InitJSON
internal import InitModel
internal import InitText
package import InitWire
internal import InitWords

extension Manifest {
  /// Returns the report of a check for a valid manifest, with a newline at the end: the initializers in the order in which they will run,
  /// each with its program and arguments as a JSON array.
  ///
  /// `arguments` returns the program and arguments of a command, with its absolute path. `launch:` lists the initializers of the launch pass (S3), `active:` those of each active pass after launch (S4), both in depth-first
  /// order (S6). Notes follow. Invisible characters are escaped.
  package func checkReport(arguments: (Command) -> [String] = \.arguments) -> String {
    let count = initializers.count == 1 ? "1 initializer" : "\(initializers.count) initializers"
    let files = paths.map(escaped)
    let subject =
      files.count < 2
      ? "\(files.joined()) is" : "\(files.dropLast().joined(separator: ", ")) and \(files[files.count - 1]) are"
    var lines = ["\(subject) good: \(count), \(settings.machine.concurrency) at a time"]
    let width = initializers.map(\.declaration.name.utf8.count).max() ?? 0
    for phase in Phase.allCases {
      let order = order(of: phase)
      lines.append("\(phase):\(order.isEmpty ? " nothing" : "")")
      for initializer in order {
        let name = initializer.declaration.name
        let padding = String(repeating: " ", count: width - name.utf8.count)
        lines.append("  \(name)\(padding)  \(initializer.summary)")
        if let command = initializer.command { lines.append("    " + list(arguments(command))) }
      }
    }
    if !workers.isEmpty {
      lines.append("processes:")
      lines += workers.flatMap { [$0.summary, "    " + list(arguments($0.command))] }
    }
    lines += notes.map { "note: \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns texts as a JSON array, which shows where each text ends.
  private func list(_ words: [String]) -> String {
    var writer = JSONWriter()
    writer.array { writer in for word in words { writer.string(word) } }
    return escaped(String(decoding: writer.take(), as: UTF8.self))
  }

  /// The report of a check for programs: the graph, and the order of a launch and an activation.
  package var shape: CheckedManifest {
    let nodes = initializers.map { each in
      InitializerGraph.Node(
        name: each.declaration.name, priority: .known(each.declaration.priority), provider: .known(each.kind),
        status: .known(.idle))
    }
    let edges = initializers.flatMap { each in
      each.declaration.dependencies.map { InitializerGraph.Edge(from: each.declaration.name, to: $0) }
    }
    var checked = CheckedManifest(
      concurrency: settings.machine.concurrency, graph: InitializerGraph(nodes: nodes, edges: edges),
      plan: PlannedPasses(
        launch: order(of: .launch).map(\.declaration.name), active: order(of: .active).map(\.declaration.name)))
    checked.stateDirectory = settings.start.stateDirectory
    return checked
  }

  /// Returns the initializers of a pass of the phase, in order.
  func order(of phase: Phase) -> [Entry<DeclaredInitializer>] {
    let byName = Dictionary(
      initializers.map { ($0.declaration.name, $0) }, uniquingKeysWith: { first, _ in first })
    let plan = Plan(of: phase, initializers.map(\.declaration))
    return plan.items.compactMap { byName[$0.name] }
  }
}

extension Manifest.Entry<DeclaredInitializer> {
  /// The provider, dependencies and settings, in the manifest's words.
  fileprivate var summary: String {
    var parts: [String] = []
    if let probe = declared.probe {
      parts.append("waits for \(escaped("\(probe.target)"))")
    } else {
      parts.append(texts.contains("command") ? "shell command" : "\(declared.kind)")
    }
    parts += ManifestSection.initializerRows.compactMap { $0.report(self) }
    return parts.joined(separator: "  ")
  }
}

extension Manifest.Entry<DeclaredWorker> {
  /// The name and settings, in the manifest's words.
  fileprivate var summary: String {
    let parts = ManifestSection.processRows.compactMap { $0.report(self) }
    return (["  \(declared.name)"] + parts).joined(separator: "  ")
  }
}
