internal import ArgumentParser
internal import InitClient
internal import InitWire

/// `wait`: waits for a state or an initializer.
struct WaitCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait", abstract: "Wait until the app is ready, or until a phase or an initializer is complete.",
    discussion: """
      Examples:
        initctl wait --timeout 30s && echo ready
        initctl wait migrate --connect-timeout 10s
      """)

  @Argument(
    help: ArgumentHelp(
      "What to wait for: ready, launch, active, composite, or the name of an initializer.", valueName: "what"))
  var what = "ready"

  @Option(help: ArgumentHelp("Give up after this time. Default: never.", valueName: "duration"))
  var timeout: DurationArgument?

  @Flag(help: "Wait also for a name that is not declared yet.") var appear = false

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  private static let states = ["ready", "launch", "active", "composite"]

  private var target: WaitParams.Target {
    switch what {
    case "ready": .ready
    case "launch": .launch
    case "active": .active
    case "composite": .composite
    default: .initializer(what)
    }
  }

  func validate() throws {
    guard InitializerName.isValid(what) else {
      throw ValidationError("What to wait for \(InitializerName.requirement).")
    }
  }

  func run(on client: Client) async throws -> ExitCode {
    do {
      return try await client.await(target, timeout: timeout, appear: appear)
    } catch ClientError.refused(let refusal) where refusal.knownCode == .unknownInitializer {
      return await UnknownName.complain(
        of: what, on: client, words: WaitCommand.states,
        remedy: "initctl status lists them; --appear waits for one that isn't declared yet")
    }
  }
}
