internal import CommandLineOptions
internal import EventLoop
internal import InitClient
internal import InitModel
internal import InitProcesses
internal import InitWire
internal import InitWords

/// `run`: holds the app active while a command runs, which starts once the app is ready.
struct RunCommand: SupervisorCommand {
  static let help = CommandHelp(
    "run", "Run a command while the app is active: activate, wait until ready, run it, release.",
    discussion: """
      If the app is deactivated in the meantime, the command continues. If the supervisor restarts, the app is held active again.

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

  @ProgramLoop func run(on client: Client) async throws -> ProgramStatus {
    _ = try await client.send(ActivateRequest(hold: true))
    let lifecycle = try await client.subscribe(to: [.lifecycle])
    let readiness = Task(executorPreference: client.loop) { try await client.await(.ready, timeout: timeout) }
    let watch = LifecycleWatch(command: command[0], onDeactivationBeforeStart: readiness.cancel)
    let holding = Task(executorPreference: client.loop) { await watch.follow(client, lifecycle) }
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
    holding.cancel()
    // The supervisor's status must show the release as soon as this process has ended. If `release` fails, the hold ends with the
    // connection.
    _ = try? await holding.value.send(ReleaseRequest(), within: RunCommand.releaseTimeout)
    return ProgramStatus(for: status)
  }
}

/// Observes the app before and while a command runs, and keeps its hold.
@ProgramLoop private final class LifecycleWatch {
  /// Whether the command has started: after that, changes of the app cause only a warning.
  var hasStarted = false

  private let command: String
  private let onDeactivationBeforeStart: () -> Void

  init(command: String, onDeactivationBeforeStart: @escaping () -> Void) {
    self.command = command
    self.onDeactivationBeforeStart = onDeactivationBeforeStart
  }

  /// Follows the app's lifecycle until the task is cancelled.
  ///
  /// If the supervisor ends while the command runs, this holds the app active at the next supervisor. Returns the connection that has the
  /// hold.
  func follow(_ first: Client, _ events: EventSequence) async -> Client {
    var client = first
    var lifecycle = events
    do throws(ClientError) {
      while await read(lifecycle), hasStarted {
        (client, lifecycle) = try await next(after: client)
        Console.complain("connected to a new supervisor; the app is held active again")
      }
    } catch {
      if error != .cancelled { warn("cannot hold the app active again: \(error)") }
    }
    return client
  }

  /// Reads a subscription until it ends.
  ///
  /// Returns whether the supervisor is gone.
  private func read(_ lifecycle: EventSequence) async -> Bool {
    lifecycleIs(lifecycle.status.lifecycle)
    do throws(ClientError) {
      var events = lifecycle.makeAsyncIterator()
      while let event = try await events.next() {
        switch event.params.body {
        case .state(let state): lifecycleIs(state.lifecycle)
        case .snapshot(let status): lifecycleIs(status.lifecycle)
        case .shutdown: warn("the supervisor is shutting down")
        default: continue
        }
      }
    } catch {
      if error == .cancelled { return false }
      warn("\(error)")
    }
    return true
  }

  private func next(after lost: Client) async throws(ClientError) -> (Client, EventSequence) {
    var client = lost
    while true {
      client = try await LostHold.reacquire(after: client)
      do throws(ClientError) {
        return (client, try await client.subscribe(to: [.lifecycle]))
      } catch {
        await client.close()
        guard case .lost = error else { throw error }
      }
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
