internal import InitWire
internal import Libuv
internal import Platform

/// The command of one run, in its own session.
///
/// When its task is cancelled, its group gets SIGTERM, and SIGKILL after `grace`; the run ends when the process has exited (S13).
actor WorkerProcess {
  /// How long it may take to exit after SIGTERM.
  static let grace = Duration.seconds(5)

  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let arguments: [String]
  private let socket: String
  private let params: RunParams
  private let output: OutputFile?
  private var process: ChildProcess?

  /// - Parameter output: the path of the command's output file.
  init(loop: Loop, arguments: [String], socket: String, run params: RunParams, output: OutputFile?) {
    self.loop = loop
    self.arguments = arguments
    self.socket = socket
    self.params = params
    self.output = output
  }

  /// Runs it until it exits.
  ///
  /// - Throws: `WireError`, the run's answer, if it can't be started or fails.
  func run() async throws(WireError) {
    let inputs = InputVariables(params.inputs)
    if let fault = inputs.fault { throw WireError(code: 1, message: fault) }
    let environment = environment(with: inputs)
    let status = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<ExitStatus, SpawnError>, Never>) in
        do throws(SpawnError) {
          process = try ChildProcess(
            loop: loop, arguments: arguments, environment: EnvironmentBlock(environment), error: .inherited
          ) { continuation.resume(returning: .success($0)) }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.process?.end(within: Self.grace) } }
    }
    if let report = process?.leftBehind.report(of: params.initializer) { Console.complain(report) }
    switch status {
    case .success(.exited(0)): return
    case .success(let status): throw WireError(code: 1, message: "\(status)")
    case .failure(let error): throw WireError(code: 1, message: "\(error)")
    }
  }

  /// Kills its group at once.
  func kill() { process?.kill() }

  /// Our environment, and the variables of the run.
  private func environment(with inputs: InputVariables) -> [String: String] {
    var variables = ProcessEnvironment.variables()
    // Ours belong to an enclosing run, or to the service manager that started us.
    variables = variables.filter { variable in
      !RunVariables.belongsToOuterRun(variable.key)
        && !["NOTIFY_SOCKET", "LISTEN_", "WATCHDOG_"].contains { variable.key.hasPrefix($0) }
    }
    let own = RunVariables.all(
      socket: socket, initializer: params.initializer, run: params.run, pass: params.pass, attempt: params.attempt,
      phase: params.phase, output: output?.path, traceparent: params.traceparent)
    for (name, value) in own + inputs.variables { variables[name] = value }
    return variables
  }
}

/// The running commands; used on the loop's thread.
final class RunningCommands: @unchecked Sendable {
  private var processes: [ObjectIdentifier: WorkerProcess] = [:]

  /// Runs a command, and keeps it here until it has ended.
  func run(_ process: WorkerProcess) async throws {
    let key = ObjectIdentifier(process)
    processes[key] = process
    defer { processes[key] = nil }
    try await process.run()
  }

  /// Kills them all.
  func kill() {
    for process in processes.values { process.assumeIsolated { $0.kill() } }
  }
}
