internal import CommandLineOptions
internal import InitClient
internal import InitText

/// `shutdown`: shuts the supervisor down, and waits until its process is gone.
struct ShutdownCommand: SupervisorCommand {
  static let help = CommandHelp(
    "shutdown", "End the supervisor, and wait until it has exited.",
    discussion: """
      It returns when the supervisor's process is gone, so another one can be started at once. If the supervisor is part of a program, \
      which goes on, it returns when the supervisor has ended.

      Examples:
        initctl shutdown
        initctl --socket initd.sock shutdown
      """)

  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    try await Self.shutDown(client, within: connection.replyTimeout)
  }

  /// Shuts a supervisor down, and waits until its process is gone.
  static func shutDown(_ client: Client, within limit: Duration) async throws -> ProgramStatus {
    guard let left = try await client.shutDown(within: limit) else { return .success }
    Console.complain("\(left) after \(limit.words)")
    Console.explain(["check whether it hangs, or wait longer with --reply-timeout"])
    return .noSupervisor
  }
}
