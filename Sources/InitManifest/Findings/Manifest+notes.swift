internal import InitCore
internal import InitDeclarations
internal import InitWords

extension Manifest {
  /// Remarks about valid parts that do less than they seem to, in the order of the text: for `check`, because they may be meant.
  var notes: [String] { workers.compactMap(\.noteOfReadiness) + [noteOfConcurrency].compactMap(\.self) }

  /// The note that more initializers could run at once, if only one may.
  private var noteOfConcurrency: String? {
    guard settings.machine.concurrency == 1 else { return nil }
    let most = Phase.allCases.map { width(of: $0) }.max() ?? 0
    return most > 1 ? "\(most) initializers could run at once: concurrency: \(most)" : nil
  }

  /// Returns how many initializers of a pass could run at once, or fewer: the largest number with equally long chains before them.
  ///
  /// Those that only wait don't count (S6), and of a group count only as many as it lets run (S33).
  private func width(of phase: Phase) -> Int {
    let order = order(of: phase)
    var levels: [String: Int] = [:]
    var widths: [Int: Int] = [:]
    var ofGroups: [Int: [String: Int]] = [:]
    for each in order {
      let before = (each.declaration.dependencies + each.declaration.after).compactMap { levels[$0] }.max() ?? -1
      levels[each.declaration.name] = before + 1
      guard each.declared.kind.takesSlot else { continue }
      if let group = each.declaration.group, let places = settings.machine.groups[group] {
        guard ofGroups[before + 1, default: [:]][group, default: 0] < places else { continue }
        ofGroups[before + 1, default: [:]][group, default: 0] += 1
      }
      widths[before + 1, default: 0] += 1
    }
    return widths.values.max() ?? 0
  }
}

extension Manifest.Entry<DeclaredWorker> {
  /// The note about PostgreSQL, which accepts connections before it answers queries.
  fileprivate var noteOfReadiness: String? {
    guard case .probe(let probe, _)? = declared.policy.ready, case .tcp = probe.target, programName == "postgres" else {
      return nil
    }
    return
      "\(declared.name) is ready as soon as PostgreSQL accepts connections, even while it recovers; "
      + "ready: { command: [pg_isready, -q] } waits until it answers"
  }

  /// The name of the program, without its directory; of a text, that of the first command, if it is written without quotes.
  private var programName: Substring? {
    let arguments = declared.command.arguments
    let words =
      texts.contains("command")
      ? arguments.last?.split(separator: " ").drop { $0 == "exec" } : arguments[...].map { $0[...] }[...]
    return words?.first?.split(separator: "/").last
  }
}
