internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitModel
internal import InitProcesses
internal import InitWire
internal import Platform

/// A worker whose initializers are commands: it serves until SIGTERM or SIGINT.
struct CommandWorker: Sendable {
  /// The initializers that the worker provides.
  let manifest: WorkerManifest
  /// The prefix of reports in the output of commands; nil if there are no reports.
  let progressPrefix: String?
  /// The worker's name in Status; nil for a name made of its initializers.
  let clientName: String?
  /// The descriptor for status lines; nil for none.
  let statusDescriptor: Int?

  /// The name for people.
  private var name: String {
    let names = manifest.initializers.map(\.registration.name)
    return names.count == 1 ? names[0] : "\(names[0]) and \(names.count - 1) more"
  }

  /// Serves until a signal.
  ///
  /// `path` is the supervisor's socket. `within` says how long to wait for a supervisor that isn't running yet. `replyTimeout` says how
  /// long it may take to answer a request. Throws `ClientError` if the first registration fails, or a later one can never succeed.
  @ProgramLoop func serve(_ loop: Loop, _ path: String, within: Duration?, replyTimeout: Duration) async throws {
    let children = ChildTable(loop: loop)
    let files = CommandFiles(for: children)
    defer { files.close() }
    let lines = progressPrefix.map { CommandLines(loop: loop, prefix: $0) }
    defer { lines?.close() }
    let status = statusDescriptor.map { StatusLines(loop: loop, descriptor: $0) }
    defer { status?.close() }
    let setting = WorkerProcess.Setting(
      children: children, socket: path, grace: .seconds(manifest.cancelGrace), files: files, lines: lines)
    let commands = RunningCommands()
    let worker = WorkerService(
      loop: loop, path: path,
      program: HelloRequest.Program(name: clientName ?? "initctl worker \(name)", version: Release.version),
      initializers: manifest.initializers.map { command in
        WorkerInitializer(command.registration) { try await commands.run(WorkerProcess(command, for: $0, setting)) }
      },
      replyTimeout: replyTimeout,
      onChange: { [problems = ConnectionProblems(name: name, path: path)] change in
        ProgramLoop.assumeIsolated {
          problems.report(change)
          status?.report(change)
        }
      },
      onRunChange: { change in ProgramLoop.assumeIsolated { status?.report(change) } })
    let service = Task(executorPreference: loop) { try await worker.serve(within: within) }
    var endingSignals = EndingSignals()
    let onSignal = { (number: Int32) in
      switch endingSignals.record(number, at: loop.now) {
      case .end: service.cancel()
      case .echo: break
      case .skip: commands.kill()
      }
    }
    // If this worker is killed, child processes of its commands must not continue beside the next worker.
    do throws(SystemError) {
      try children.startGuard(grace: .zero, lock: nil) { [name] in Self.report($0, of: name) }
    } catch {
      Console.complain(
        "cannot start the guard of \(name): \(error); if this process is killed, child processes may keep running")
    }
    defer { children.endGuard() }
    let sources = try [SIGTERM, SIGINT].map { number in
      try SignalSource(loop: loop, signal: number) { onSignal(number) }
    }
    defer { for source in sources { source.close() } }
    try await service.value
  }

  private static func report(_ loss: GuardLoss, of name: String) {
    switch loss.replacement {
    case .success: Console.complain("the guard of \(name) was lost: \(loss.status); a new one was started")
    case .failure(let error):
      Console.complain(
        """
        the guard of \(name) was lost: \(loss.status); it can't be replaced: \(error); if this process is killed, child processes may keep \
        running
        """)
    }
  }
}

/// Prints problems of a worker's connection on standard error.
@ProgramLoop private final class ConnectionProblems {
  private let name: String
  private let path: String
  private var wasLost = false

  init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  func report(_ change: WorkerService.Change) {
    switch change {
    case .registered:
      if wasLost { Console.complain("\(name) is registered again") }
    case .lost(let error):
      wasLost = true
      Console.complain("\(error); reconnecting")
    case .notRegistered(let error): Console.complain("\(error); retrying")
    case .waiting: Console.reportWaiting(path)
    }
  }
}
