internal import InitCore
internal import InitWords

/// Launch commands that seem to be checks: they wait in a loop until something is up.
///
/// After a restart with a state directory, a service that was up may be down, but such a check counts as complete, unless it is per process
/// (S22).
enum Checks {
  /// Returns the names of these commands, in the order of their declarations.
  static func names(in initializers: [DeclaredInitializer]) -> [String] {
    let launched = initializers.filter { $0.declaration.priority == .appLaunch }
    let needed = Set(launched.flatMap(\.declaration.dependencies))
    return initializers.filter { each in
      guard let command = each.command, !each.declaration.isPerProcess, !each.isOnce else { return false }
      let isLaunched = each.declaration.priority == .appLaunch || needed.contains(each.declaration.name)
      return isLaunched && waitsInLoop(command.arguments)
    }.map(\.declaration.name)
  }

  /// Whether a command is a script with a loop that sleeps.
  static func waitsInLoop(_ arguments: [String]) -> Bool {
    let words = Set(arguments.flatMap { $0.split { !$0.isLetter } })
    return words.contains("sleep") && (words.contains("until") || words.contains("while"))
  }
}
