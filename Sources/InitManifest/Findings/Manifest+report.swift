internal import InitCore
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
    var lines = ["\(subject) good: \(count), \(concurrency) at a time"]
    let width = initializers.map(\.declaration.name.utf8.count).max() ?? 0
    for phase in Phase.allCases {
      let order = order(of: phase)
      lines.append("\(phase):\(order.isEmpty ? " nothing" : "")")
      for initializer in order {
        let name = initializer.declaration.name
        let padding = String(repeating: " ", count: width - name.utf8.count)
        lines.append("  \(name)\(padding)  \(initializer.summary)")
        if case .command(let command) = initializer.provider { lines.append("    " + list(arguments(command))) }
      }
    }
    if !workers.isEmpty {
      lines.append("workers:")
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
  package var shape: ManifestShape {
    let nodes = initializers.map { each in
      let provider: ProviderKind =
        switch each.provider {
        case .command: .command
        case .worker: .worker
        case .waitFor: .waitFor
        case .process: .process
        }
      return GraphNodeShape(
        name: each.declaration.name, priority: .known(each.declaration.priority), provider: .known(provider),
        status: .known(.idle))
    }
    let edges = initializers.flatMap { each in
      each.declaration.dependencies.map { GraphEdgeShape(from: each.declaration.name, to: $0) }
    }
    return ManifestShape(
      concurrency: concurrency, graph: GraphShape(nodes: nodes, edges: edges),
      plan: PlanShape(
        launch: order(of: .launch).map(\.declaration.name), active: order(of: .active).map(\.declaration.name)))
  }

  /// Returns the initializers of a pass of the phase, in order.
  private func order(of phase: Phase) -> [Initializer] {
    let byName = Dictionary(
      initializers.map { ($0.declaration.name, $0) }, uniquingKeysWith: { first, _ in first })
    let plan = Plan(of: phase, initializers.map(\.declaration))
    return plan.items.compactMap { byName[$0.name] }
  }
}

extension Manifest.Initializer {
  /// The provider, dependencies and settings, in the manifest's words.
  fileprivate var summary: String {
    var parts: [String] = []
    switch provider {
    case .command(let command): parts.append(command.isShell ? "shell command" : "command")
    case .worker: parts.append("worker")
    case .process: parts.append("process")
    case .waitFor(let probe): parts.append("waits for \(escaped("\(probe.target)"))")
    }
    if !declaration.dependencies.isEmpty {
      parts.append("after " + declaration.dependencies.joined(separator: ", "))
    }
    if said.contains(.timeout), let timeout = declaration.timeout {
      parts.append("timeout: \(DurationText.print(timeout))")
    }
    if said.contains(.retry) { parts.append("retry: \(words(for: declaration.retry))") }
    if said.contains(.optional) { parts.append("optional: \(declaration.isOptional)") }
    if said.contains(.perProcess) { parts.append("perProcess: \(declaration.isPerProcess)") }
    if said.contains(.secret) { parts.append("secret: \(isSecret)") }
    if condition != nil { parts.append("with a condition") }
    if let freshness = declaration.freshness {
      if !freshness.inputs.isEmpty {
        parts.append(escaped("inputs: \(freshness.inputs.map(\.description).joined(separator: ", "))"))
      }
      if let limit = freshness.limit { parts.append("freshFor: \(DurationText.print(limit))") }
    }
    if let group = declaration.group { parts.append("group: \(group)") }
    if isOnce { parts.append("once: fleet") }
    if case .command(let command) = provider, command.stop != nil { parts.append("with a stop command") }
    if let description { parts.append("# " + escaped(description)) }
    return parts.joined(separator: "  ")
  }

  private func words(for retry: RetryPolicy) -> String {
    let factor = retry.factor == retry.factor.rounded() ? "\(Int(retry.factor))" : "\(retry.factor)"
    return "{ attempts: \(retry.attempts), delay: \(DurationText.print(retry.delay)), factor: \(factor), "
      + "maxDelay: \(DurationText.print(retry.maxDelay)) }"
  }
}

extension Manifest.WorkerEntry {
  /// The name and settings, in the manifest's words.
  fileprivate var summary: String {
    var parts = ["  \(name)", "restart: \(restart)"]
    if let ready = policy.ready { parts.append("ready: \(escaped("\(ready)"))") }
    if policy.ready == nil, !dependencies.isEmpty { parts.append("after " + dependencies.joined(separator: ", ")) }
    if policy.stopSignal != ProcessPolicy().stopSignal { parts.append("stopSignal: \(policy.stopSignal)") }
    if let stopTimeout = policy.stopTimeout { parts.append("stopTimeout: \(DurationText.print(stopTimeout))") }
    return parts.joined(separator: "  ")
  }
}
