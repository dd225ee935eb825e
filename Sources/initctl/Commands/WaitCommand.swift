internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// `wait`: waits for a state or an initializer.
struct WaitCommand: SupervisorCommand {
  static let help = CommandHelp(
    "wait", "Wait until the app is ready, or until a phase or an initializer is complete.",
    discussion: """
      Examples:
        initctl wait --timeout 30s && echo ready
        initctl wait migrate --connect-timeout 10s
      """)

  private var named: String?
  private var timeout: Duration?
  private var appear = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument(
      "what", &named, .initializerName,
      help: "What to wait for: ready, launch, active, composite, or the name of an initializer. Default: ready.")
    try options.option("timeout", &timeout, .duration, help: "Give up after this time. Default: never.")
    try options.flag("appear", &appear, help: "Wait also for a name that is not declared yet.")
    try connection.visit(&options)
  }

  private var what: String { named ?? "ready" }

  private var target: WaitTarget {
    WaitTarget.State(rawValue: what).map(WaitTarget.state) ?? .initializer(what)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    do {
      return try await client.await(target, timeout: timeout, appear: appear)
    } catch ClientError.refused(let refusal) where refusal.knownCode == .unknownInitializer {
      return await UnknownName.complain(
        of: what, on: client, words: WaitTarget.State.allCases.map(\.rawValue),
        remedy: "initctl status lists them; --appear waits for one that isn't declared yet")
    }
  }
}
