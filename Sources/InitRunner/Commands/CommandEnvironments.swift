internal import InitDeclarations
internal import InitProcesses

/// The environments of commands, without the variables of a run.
///
/// Each is made once, unless a reload changes it. Even then, a run with the previous command may still begin.
struct CommandEnvironments {
  private var base: (common: [String: String], block: EnvironmentBlock)?
  /// The last one, which commands with the same variables share, e.g. those of a manifest that have none of their own.
  private var last: (own: [String: String], block: EnvironmentBlock)?
  private var blocks: [String: (common: [String: String], own: [String: String], block: EnvironmentBlock)] = [:]

  /// Returns the environment of all runs of the command of the initializer with this name.
  ///
  /// `common` are the variables of all commands.
  mutating func block(
    of command: Command, in common: [String: String], named name: String
  ) throws(SpawnError) -> EnvironmentBlock {
    // Comparing a dictionary with itself is fast.
    if let made = blocks[name], made.own == command.environment, made.common == common { return made.block }
    let base: EnvironmentBlock
    if let made = self.base, made.common == common {
      base = made.block
    } else {
      base = try EnvironmentBlock(CommandEnvironment.common(common))
      self.base = (common, base)
      last = nil
    }
    guard !command.environment.isEmpty else { return base }
    let made: EnvironmentBlock
    if let last, last.own == command.environment {
      made = last.block
    } else {
      made = try EnvironmentBlock(
        base, adding: CommandEnvironment.common(command.environment).map { ($0.key, $0.value) })
      last = (command.environment, made)
    }
    blocks[name] = (common, command.environment, made)
    return made
  }
}
