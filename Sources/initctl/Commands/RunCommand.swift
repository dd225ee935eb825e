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
        initctl run --timeout 30s -- sh -c "echo the app is ready"
      """)

  private(set) var command: [String] = []
  private var timeout: Duration?
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.command("command", &command, isRequired: true, help: "The command to run, and its arguments.")
    try options.option(
      "timeout", &timeout, .duration,
      help: "Give up with status 124 if the app isn't ready after this time. Default: never.")
    try connection.visit(&options)
  }

  /// How long the supervisor may take to answer `release`, once the command has ended.
  private static let releaseTimeout = Duration.seconds(2)

  func run(on client: Client) async throws -> ProgramStatus {
    _ = try await client.activate(hold: true)
    let lifecycle = try await client.subscribe(to: [.lifecycle])
    let readiness = Task(executorPreference: client.loop) { try await client.await(.ready, timeout: timeout) }
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
    // So that the supervisor's status shows the release as soon as this process has ended. If `release` fails, the hold ends with the
    // connection.
    try? await client.release(within: RunCommand.releaseTimeout)
    return ProgramStatus(for: status)
  }
}

/// Observes the app before and while a command runs; on the loop's thread.
private final class LifecycleWatch: @unchecked Sendable {
  /// Whether the command has started: after that, changes of the app cause only a warning.
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
    if hasStarted { Console.complain("\(what); \(command) keeps running") }
  }
}
