internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitModel
internal import InitProcesses
internal import InitWire
internal import InitWords
internal import Platform

/// The settings for the command of one run, which has its own session.
///
/// When its task is cancelled, its group gets SIGTERM, and SIGKILL after the grace; the run ends when the process has exited (S13).
@ProgramLoop final class WorkerProcess {
  /// The settings that the commands of a worker share.
  @ProgramLoop struct Setting {
    let children: ChildTable
    /// The supervisor's socket.
    let socket: String
    /// How long a command may take to exit after SIGTERM.
    let grace: Duration
    let files: CommandFiles
    /// Reads the output of commands; nil if they have ours.
    let lines: CommandLines?
  }

  /// The limit of Linux for a variable, with its `=` and its end.
  ///
  /// A longer input is only in the file.
  private static let longestVariable = 128 * 1024 - 2
  /// A smaller CPU time isn't reported to the supervisor: no forecast depends on it.
  private static let leastUsage = Duration.milliseconds(50)

  private let command: WorkerManifest.Command
  private let run: WorkerRun
  private let setting: Setting
  private var process: ChildProcess?
  private var pipe: OutputPipe?
  /// The reason of the failure, as the command reported it.
  private var failure: String?
  private var isSecret: Bool

  init(_ command: WorkerManifest.Command, for run: WorkerRun, _ setting: Setting) {
    self.command = command
    self.isSecret = command.secret
    self.run = run
    self.setting = setting
  }

  /// Runs the command until it exits, and returns its output.
  ///
  /// - Throws: `WireError`, the run's answer, if it can't be started or fails.
  func untilExit() async throws {
    let inputs = InputVariables(run.params.inputs)
    if let fault = inputs.fault { throw WireError(code: 1, message: fault) }
    let inputFile = try setting.files.inputFile(of: run)
    let output = setting.files.outputFile(of: run.params.run)
    defer {
      inputFile?.remove()
      output?.remove()
    }
    var variables = environment(with: inputs, output: output?.path)
    variables[RunVariables.inputs] = inputFile?.path
    variables["NOTIFY_SOCKET"] = setting.files.notifySocket(of: run)
    let status = await exitStatus(variables)
    if let cpu = process?.usage?.cpuTime, cpu >= Self.leastUsage { await run.use(cpu: cpu) }
    pipe?.drain()
    pipe?.close()
    setting.files.end(run: run.params.run)
    if let report = process?.leftBehind.report(of: run.params.initializer) { Console.complain(report) }
    switch status {
    case .success(.exited(0)): break
    case .success(let status): throw WireError(code: 1, message: failure ?? Self.reason(status))
    case .failure(let error): throw WireError(code: 1, message: error.message)
    }
    try await setting.files.handOver(output, of: run, isSecret: isSecret)
  }

  /// Returns why the command has failed.
  ///
  /// If this worker killed the command, the run was cancelled, and its failure doesn't count.
  private static func reason(_ status: ExitStatus) -> String {
    status == .signaled(SIGKILL) ? "\(Cause.signal("SIGKILL"))" : "\(status)"
  }

  /// Kills the command's process group at once.
  func kill() { process?.kill() }

  /// The reason why there is no exit status that counts.
  private struct Unstarted: Error {
    let message: String
  }

  private func exitStatus(_ variables: [String: String]) async -> Result<ExitStatus, Unstarted> {
    let loop = setting.children.loop
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<ExitStatus, Unstarted>, Never>) in
        var fault: Unstarted?
        do throws(SpawnError) {
          let process = try ChildProcess(
            in: setting.children, arguments: command.command, environment: EnvironmentBlock(variables),
            directory: command.directory, output: setting.lines == nil ? .inherited : .pipe, error: .inherited
          ) { continuation.resume(returning: fault.map { .failure($0) } ?? .success($0)) }
          self.process = process
          do throws(SystemError) {
            pipe = try process.standardOutput.flatMap { output throws(SystemError) in
              try setting.lines?.read(output) { [unowned self] in handle($0) }
            }
          } catch {
            // Like any other run, this one ends only when its process has exited.
            fault = Unstarted(message: "cannot read its output: \(error)")
            process.kill()
          }
        } catch {
          continuation.resume(returning: .failure(Unstarted(message: "\(error)")))
        }
      }
    } onCancel: {
      loop.perform { ProgramLoop.assumeIsolated { self.process?.end(within: self.setting.grace) } }
    }
  }

  private func handle(_ report: ReportLine) {
    switch report {
    case .progress(let told): run.report(told)
    case .failure(let reason): failure = reason
    case .secret: isSecret = true
    }
  }

  /// Returns our environment, the command's own variables, and those of the run.
  private func environment(with inputs: InputVariables, output: String?) -> [String: String] {
    var variables = ProcessEnvironment.variables()
    for variable in command.environment {
      guard let equals = variable.firstIndex(of: "=") else { continue }
      variables[String(variable[..<equals])] = String(variable[variable.index(after: equals)...])
    }
    // Ours belong to an enclosing run, or to the service manager that started us.
    variables = variables.filter { variable in
      !RunVariables.belongsToOuterRun(variable.key)
        && !["NOTIFY_SOCKET", "LISTEN_", "WATCHDOG_"].contains { variable.key.hasPrefix($0) }
    }
    let params = run.params
    let own = RunVariables.all(
      socket: setting.socket, initializer: params.initializer, run: params.run, pass: params.pass,
      attempt: params.attempt, phase: params.phase, output: output, traceparent: params.traceparent)
    let passable = inputs.variables.filter { $0.name.utf8.count + $0.value.utf8.count < Self.longestVariable }
    for (name, value) in own + passable { variables[name] = value }
    variables[RunVariables.fence] = params.fence.map(String.init)
    return variables
  }
}

/// The running commands.
@ProgramLoop final class RunningCommands {
  private var processes: [ObjectIdentifier: WorkerProcess] = [:]

  /// Runs a command, and keeps it here until it has ended.
  func run(_ process: WorkerProcess) async throws {
    let key = ObjectIdentifier(process)
    processes[key] = process
    defer { processes[key] = nil }
    try await process.untilExit()
  }

  /// Kills all processes.
  func kill() {
    for process in processes.values { process.kill() }
  }
}
