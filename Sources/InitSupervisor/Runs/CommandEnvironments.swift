internal import Platform

/// The environments of commands, without the variables of a run.
///
/// Each is made once.
struct CommandEnvironments {
  private let inherited: [String: String]
  private var base: EnvironmentBlock?
  private var blocks: [String: EnvironmentBlock] = [:]

  /// - Parameter inherited: the variables of all commands.
  init(_ inherited: [String: String]) { self.inherited = CommandEnvironment.common(inherited) }

  /// The environment of all runs of the command of the initializer with this name.
  mutating func block(of command: Command, named name: String) throws(SpawnError) -> EnvironmentBlock {
    if let made = blocks[name] { return made }
    let base: EnvironmentBlock
    if let made = self.base { base = made } else { base = try EnvironmentBlock(inherited) }
    self.base = base
    guard !command.environment.isEmpty else { return base }
    let made = try EnvironmentBlock(
      base, adding: CommandEnvironment.common(command.environment).map { ($0.key, $0.value) })
    blocks[name] = made
    return made
  }
}
