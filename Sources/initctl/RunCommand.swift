internal import ArgumentParser
internal import InitClient
internal import InitWire
internal import Libuv

/// `run`: holds the app active while a command runs, which starts once the app is ready.
struct RunCommand: SupervisorCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Hold the app active while a command runs, which starts once it is ready.",
    usage: "initctl run -- <command> [<argument> ...]")

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"))
  var command: [String] = []

  @OptionGroup var connection: ConnectionOptions
  @ParentCommand var root: Initctl

  /// How long the supervisor may take to answer `release`, once the command has ended.
  private static let releaseTimeout = Duration.seconds(2)

  func validate() throws {
    guard !command.isEmpty else { throw ValidationError("Name a command behind --.") }
  }

  func run(on client: Client) async throws -> ExitCode {
    _ = try await client.activate(hold: true)
    let lifecycle = try await client.subscribe(to: [.lifecycle])
    let readiness = Task(executorPreference: client.loop) { try await client.await(.ready, timeout: nil) }
    let warnings = Task(executorPreference: client.loop) {
      await warn(lifecycle) { readiness.cancel() }
    }
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
    let status = await process.untilExit()
    warnings.cancel()
    // So that a supervisor asked after this process's end has seen it; what can't be released goes with the connection.
    try? await client.release(within: RunCommand.releaseTimeout)
    return ExitCode(for: status)
  }

  /// Tells what happens to the app meanwhile; `onDeactivation` is called when it is deactivated.
  private func warn(_ lifecycle: Subscription, onDeactivation: () -> Void) async {
    let goesOn = "\(command[0]) goes on without it"
    func check(_ now: LifecycleName) {
      guard now == .inactive else { return }
      onDeactivation()
    }
    do {
      check(lifecycle.status.lifecycle)
      for try await event in lifecycle {
        switch event.params.body {
        case .state(let state): check(state.lifecycle)
        case .snapshot(let status): check(status.lifecycle)
        case .shutdown: Console.complain("the supervisor is shutting down; \(goesOn)")
        default: continue
        }
      }
    } catch ClientError.cancelled {
      return
    } catch {
      Console.complain("\(error); \(goesOn)")
    }
  }
}
