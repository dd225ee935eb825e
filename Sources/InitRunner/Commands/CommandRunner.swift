internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitLog
internal import InitModel
internal import InitProcesses
internal import InitWords
internal import Logging
internal import Platform

/// Runs commands: a run is a process in a session of its own, and ends when the process exits.
///
/// To stop a run, its group gets SIGTERM, and SIGKILL after `cancelGrace` (S13). Processes that a command leaves behind don't delay the end
/// of its run; their output is read for a short time.
package final class CommandRunner {
  /// A started command.
  ///
  /// The exit of the command may be reported before or after its run waits for it.
  private final class Running {
    let child: ChildProcess
    let process: StartedRun
    var whenExited: ((ExitStatus) -> Void)?
    var status: ExitStatus?

    init(_ child: ChildProcess, _ process: StartedRun) {
      self.child = child
      self.process = process
    }
  }

  /// The open output of a run whose command has exited.
  private struct Leftover {
    let pipes: [OutputPipe]
    let timer: EventLoop.Timer
  }

  /// The number of exited commands whose output is still read: each uses two descriptors.
  private static let mostLeftovers = 16

  /// Called when no command runs any more, after `close`.
  package var onIdle: () -> Void = {}
  /// Why the files of commands can't be in the intended directory.
  package var directoryFault: String?

  let shared: RunnerContext
  private var environments = CommandEnvironments()
  let directory: PrivateDirectory
  private let notifySockets: NotifySockets
  let cleaning: Timer
  private var spareStreams: ChildStreams?
  private var hasWarned = false
  private var running: [RunID: Running] = [:]
  private var leftovers: [RunID: Leftover] = [:]
  /// The commands that find out whether work is already done, by the number of the question.
  var checks: [Int: ChildProcess] = [:]
  /// The resources of runs that ended in this turn.
  private var unreleased: [(run: RunID, pipes: [OutputPipe], notifySocket: Datagrams?, isOfOtherUser: Bool)] = []
  /// The last report of each current run.
  private var reported: [RunID: String] = [:]
  private var isClosed = false

  init(_ shared: RunnerContext) {
    self.shared = shared
    let children = shared.children
    directory = PrivateDirectory(
      in: shared.settings.runtimeDirectory, from: shared.settings.runtimeDirectoryVariable,
      guardedBy: { children.childGuard })
    notifySockets = NotifySockets(loop: shared.loop, in: directory)
    cleaning = Timer(loop: shared.loop, name: "cleaning")
  }

  /// Whether no command runs.
  var isIdle: Bool { running.isEmpty }

  /// Kills a command that was told to exit, but hasn't exited within `cancelGrace`.
  func kill(_ run: RunID) {
    guard let running = running[run], running.status == nil else { return }
    shared.reports.killed(running.process)
    running.child.kill()
  }

  /// Runs the command to its exit, and reads its output for dependents.
  ///
  /// `common` are the variables of all commands. `isStop` says whether it is the stop command of the initializer. `isolation` is that of
  /// the loop. Throws the cause: an exit status other than 0, a signal, why the command can't be started, or what is wrong with its output.
  func run(
    _ command: Command, in common: [String: String], isSecret: Bool, _ context: RunContext, fence: Int? = nil,
    isStop: Bool = false, on isolation: isolated LoopActor
  ) async throws {
    try Task.checkCancellation()
    let start = context.start
    let values = shared.values(context.inputs, of: command.references, for: start.initializer)
    let command = try values.command(command)
    // An unknown user is reported when the command is started.
    let user = command.settings.user.flatMap { try? Accounts.find($0) }
    let notifySocket = notifySocket(for: context, of: user)
    var pipes: [OutputPipe] = []
    defer {
      if !reported.isEmpty { reported[start.run] = nil }
      releaseLater(pipes, notifySockets.end(run: start.run.rawValue), run: start.run, isOfOtherUser: user != nil)
    }
    // Without a directory there is no output file, which `notifySocket` has logged.
    let output = directory.outputFile(of: start.run.rawValue, for: user)
    let (child, process) = try spawn(
      command, in: common, values, context, notifySocket: notifySocket, outputFile: output?.path, fence: fence,
      isStop: isStop)
    shared.reports.started(process)
    var fault: SystemError?
    do throws(SystemError) {
      try read(child, process, showing: command.settings.showsOutput, into: &pipes)
    } catch {
      // A cancelled run ends only when its process has exited (S13), like any other run.
      child.kill()
      fault = error
    }
    prepareNext()
    let runner = shared.runner
    let status = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        running[start.run]?.whenExited = { continuation.resume(returning: $0) }
        conclude(start.run)
      }
    } onCancel: {
      // The machine watches the timeout.
      runner.perform { $0.commands.cancel(start.run) }
    }
    if let usage = child.usage { shared.reports.used(cpu: usage.cpuTime, by: start.run) }
    if let report = child.leftBehind.report(of: process.title) {
      shared.logger.warning("\(report)", metadata: process.members(.leftBehind, pids: child.leftBehind.map(\.pid)))
    }
    for pipe in pipes { pipe.drain() }
    if !status.isSuccess {
      output?.remove()
      logLastReport(of: start)
    }
    if let fault { throw Cause.error(message: "cannot read its output: \(fault)") }
    guard status.isSuccess else { throw Cause(status) }
    if let handed = try readOutput(output, isSecret: isSecret) { context.handOver(handed) }
  }

  /// Runs the command's `stop` to its exit; its failure is only reported (S24).
  func stop(
    _ command: Command, in common: [String: String], _ context: RunContext, on isolation: isolated LoopActor
  ) async {
    guard let stop = command.stop, !isClosed else { return }
    shared.reports.stopping(context.initializer)
    var failure: (any Error)?
    do {
      var stopping = Command(stop, environment: command.environment, directory: command.directory)
      stopping.settings = command.settings
      try await run(stopping, in: common, isSecret: true, context, isStop: true, on: isolation)
    } catch { failure = error }
    if !isClosed { shared.reports.stopped(context.start, failure, isLate: Task.isCancelled) }
  }

  private func cancel(_ run: RunID) { running[run]?.child.end(within: nil) }

  /// Logs the last report of a failed command, for example the text of its `ERRNO`, which says more than its exit status.
  private func logLastReport(of start: RunStart) {
    notifySockets.drain(run: start.run.rawValue)
    if let report = reported[start.run] { shared.logger.info("\(start.initializer): last report: \(report)") }
  }

  /// Kills all commands, stops reading output, and removes the sockets.
  ///
  /// Closes everything when the supervisor ends.
  package func close() {
    isClosed = true
    for run in running.values { run.child.kill() }
    for check in checks.values { check.kill() }
    for run in leftovers.keys { closeLeftover(run) }
    spareStreams = nil
    cleaning.close()
    notifySockets.close()
    directory.remove()
  }

  private func spawn(
    _ command: Command, in common: [String: String], _ values: StartValues, _ context: RunContext,
    notifySocket: String?, outputFile: String?, fence: Int?, isStop: Bool
  ) throws -> (ChildProcess, StartedRun) {
    let start = context.start
    let variables = CommandEnvironment.run(
      start, socketPath: shared.settings.socketPath, notifySocket: notifySocket, outputFile: outputFile,
      fence: fence, traceparent: context.traceparent,
      inputs: try values.variables(of: Array(context.inputs.keys)) + shared.ports.variables)
    do throws(SpawnError) {
      let child = try ChildProcess(
        in: shared.children, arguments: command.arguments,
        environment: EnvironmentBlock(
          environments.block(of: command, in: common, named: start.initializer), adding: variables),
        directory: command.directory, settings: command.settings, streams: nextStreams()
      ) { [weak self] status in self?.conclude(start.run, status) }
      let process = StartedRun(start: start, isStop: isStop, pid: child.pid)
      running[start.run] = Running(child, process)
      return (child, process)
    } catch {
      throw Cause.notFound(message: values.hidingSecrets(in: error.description))
    }
  }

  private func nextStreams() throws(SystemError) -> ChildStreams {
    if let spare = spareStreams.take() { return spare }
    return try makeStreams()
  }

  private func makeStreams() throws(SystemError) -> ChildStreams {
    try ChildStreams(in: shared.children, output: .pipe, error: .pipe, closing: .atEndOfTurn)
  }

  /// Prepares the resources for the next command while one runs.
  ///
  /// A failure affects only the next command.
  private func prepareNext() {
    if spareStreams == nil { spareStreams = try? makeStreams() }
    notifySockets.prepare()
  }

  /// Starts reading the output of a command; `isShown` is true if each line goes to the log.
  private func read(
    _ child: ChildProcess, _ process: StartedRun, showing isShown: Bool, into pipes: inout [OutputPipe]
  ) throws(SystemError) {
    for (output, name) in [(child.standardOutput, OutputName.stdout), (child.standardError, OutputName.stderr)] {
      guard let output else { continue }
      let pipe = try OutputPipe(loop: shared.loop, descriptor: output, lineLimit: shared.settings.limits.logLineBytes) {
        [weak self] line in
        self?.shared.reports.wrote(
          line, of: process.start.initializer, run: process.start.run.rawValue, attempt: process.attempt,
          pass: process.pass, name, isShown: isShown, process.members(.output))
      }
      pipes.append(pipe)
    }
  }

  /// Resumes the run if it waits and the command has exited.
  private func conclude(_ run: RunID, _ exit: ExitStatus? = nil) {
    guard let current = running[run] else { return }
    if let exit { current.status = exit }
    guard let status = current.status, let whenExited = current.whenExited.take() else { return }
    running[run] = nil
    whenExited(status)
    if isClosed, isIdle { onIdle() }
  }

  /// Releases the resources of a run at the end of this turn: the next command is started first.
  ///
  /// A socket that belongs to another user isn't used again.
  private func releaseLater(_ pipes: [OutputPipe], _ notifySocket: Datagrams?, run: RunID, isOfOtherUser: Bool) {
    unreleased.append((run, pipes, notifySocket, isOfOtherUser))
    if unreleased.count == 1 { shared.loop.performAtEndOfTurn { [self] in release() } }
  }

  private func release() {
    for (run, pipes, socket, isOfOtherUser) in unreleased {
      // Our copies of the child's ends are closed now.
      readRest(of: pipes, run: run)
      if let socket { notifySockets.reclaim(socket, mayBeLent: !isOfOtherUser && pipes.allSatisfy(\.isClosed)) }
    }
    unreleased = []
  }

  /// Reads the output of processes that the command left behind, for a short time.
  private func readRest(of pipes: [OutputPipe], run: RunID) {
    for pipe in pipes { pipe.drain() }
    guard !isClosed, !pipes.allSatisfy(\.isClosed) else {
      for pipe in pipes { pipe.close() }
      return
    }
    if leftovers.count >= Self.mostLeftovers, let oldest = leftovers.keys.min() { closeLeftover(oldest) }
    let timer = Timer(loop: shared.loop, name: "drain")
    leftovers[run] = Leftover(pipes: pipes, timer: timer)
    timer.start(after: shared.settings.limits.outputDrain) { [weak self] in self?.closeLeftover(run) }
  }

  private func closeLeftover(_ run: RunID) {
    guard let leftover = leftovers.removeValue(forKey: run) else { return }
    for pipe in leftover.pipes { pipe.close() }
    leftover.timer.close()
  }

  /// Returns the run's notification socket: each datagram to it belongs to this run, even if a child of the command sends it.
  ///
  /// Without the socket, a command can still run, but can't report progress.
  private func notifySocket(for context: RunContext, of user: Accounts.User?) -> String? {
    do {
      return try notifySockets.lend(run: context.runNumber, to: user) { bytes in
        let notification = StatusNotification(bytes)
        guard !notification.isEmpty else { return }
        if let message = notification.message { self.reported[context.start.run] = message }
        context.manager?.assumeIsolated { manager in
          manager.report(
            run: context.start.run, fraction: notification.fraction, message: notification.message,
            extend: notification.extend)
        }
      }
    } catch {
      if !hasWarned {
        shared.logger.warning("cannot receive progress reports and outputs of commands: \(error); they run without")
      }
      hasWarned = true
      return nil
    }
  }
}
