internal import CommandLineOptions
internal import InitClient
internal import InitWire
internal import Platform

/// `run`: holds the app active while a command runs, which starts once the app is ready.
struct RunCommand: SupervisorCommand {
  static let help = CommandHelp(
    "run", "Run a command while the app is active: activate, wait until ready, run it, release.",
    discussion: """
      Examples:
        initctl run -- ./batch-job
        initctl run -- sh -c "echo the app is ready"
      """)

  private(set) var command: [String] = []
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.command("command", &command, isRequired: true, help: "The command to run, and its arguments.")
    try connection.visit(&options)
  }

  /// How long the supervisor may take to answer `release`, once the command has ended.
  private static let releaseTimeout = Duration.seconds(2)

  func run(on client: Client) async throws -> ProgramStatus {
    _ = try await client.activate(hold: true)
    let lifecycle = try await client.subscribe(to: [.lifecycle])
    let readiness = Task(executorPreference: client.loop) { try await client.await(.ready, timeout: nil) }
    let watch = LifecycleWatch(command: command[0], onDeactivationBeforeStart: readiness.cancel)
    let watching = Task(executorPreference: client.loop) { await watch.follow(lifecycle) }
    do {
      let status = try await readiness.value
      guard status == .success else { return status }
    } catch ClientError.cancelled {
      Console.complain("cannot run \(command[0]): the app was deactivated before it was ready")
      return .failure
    }

    let process: ForegroundProcess
    do {
      process = try ForegroundProcess(loop: client.loop, arguments: command)
    } catch let error as SpawnError {
      Console.complain("\(error)")
      return error.isNotFound ? .notFound : .cannotRun
    }
    watch.hasStarted = true
    let status = await process.untilExit()
    watching.cancel()
    // So that a supervisor asked after this process's end has seen it; what can't be released goes with the connection.
    try? await client.release(within: RunCommand.releaseTimeout)
    return ProgramStatus(for: status)
  }
}

/// What becomes of the app while a command is about to run, and while it runs; on the loop's thread.
private final class LifecycleWatch: @unchecked Sendable {
  /// Whether the command runs: from then on it goes on, whatever happens to the app, and there is only a warning.
  var hasStarted = false

  private let command: String
  private let onDeactivationBeforeStart: () -> Void

  init(command: String, onDeactivationBeforeStart: @escaping () -> Void) {
    self.command = command
    self.onDeactivationBeforeStart = onDeactivationBeforeStart
  }

  /// Follows the app's lifecycle to the end of the subscription.
  func follow(_ lifecycle: EventSequence) async {
    lifecycleIs(lifecycle.status.lifecycle)
    do {
      for try await event in lifecycle {
        switch event.params.body {
        case .state(let state): lifecycleIs(state.lifecycle)
        case .snapshot(let status): lifecycleIs(status.lifecycle)
        case .shutdown: warn("the supervisor is shutting down")
        default: continue
        }
      }
    } catch ClientError.cancelled {
      return
    } catch {
      warn("\(error)")
    }
  }

  private func lifecycleIs(_ now: Word<Lifecycle>) {
    guard now == .inactive else { return }
    if hasStarted { warn("the app was deactivated") } else { onDeactivationBeforeStart() }
  }

  private func warn(_ what: String) {
    if hasStarted { Console.complain("\(what); \(command) goes on") }
  }
}
