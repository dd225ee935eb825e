internal import InitCore
internal import InitDeclarations

/// Which processes must run until others have stopped (S24): what these depend on, or start after, directly or through
/// initializers, and what runs those.
struct StopOrder {
  private var before: [String: [String]] = [:]

  init(_ settings: RunnerSettings) {
    for each in settings.initializers {
      let process = [each.declaration.process].compactMap(\.self)
      before[each.declaration.name] = each.declaration.dependencies + each.declaration.after + process
    }
    for each in settings.processes { before[each.name] = each.dependencies + each.start.after }
  }

  /// Returns the names on which these depend.
  func needed(by names: [String]) -> Set<String> {
    var found: Set<String> = []
    var open = names.flatMap { before[$0] ?? [] }
    while let name = open.popLast() {
      if found.insert(name).inserted { open += before[name] ?? [] }
    }
    return found
  }
}
