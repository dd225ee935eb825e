internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

/// A process that the supervisor starts and restarts when it exits: a worker of the manifest.
///
/// On the loop's thread.
final class KeptProcess: Component {
  /// The state.
  private enum State {
    case idle
    case running(ChildProcess, since: Duration)
    /// Waits for its restart, at that time.
    case waiting(until: Double)
    /// The process was asked to exit; `then` is called when it has exited.
    case stopping(ChildProcess, since: Duration, then: () -> Void)
    /// The process exited too often, and isn't restarted until a client requests it.
    case givenUp
    case ended
  }

  /// The observer.
  struct Listener {
    /// The start with this number wrote a line.
    var onLine: (Int, OutputName, [UInt8]) -> Void
    /// Called when the shape has changed, other than in its uptime.
    var onChange: () -> Void
    /// The start with this number has ended, which is already logged.
    var onEnd: (Int, LogBook.End) -> Void
  }

  let name: String
  private let command: Command
  let shared: Shared
  private let environment: EnvironmentBlock
  private let timer: EventLoop.Timer
  private let listener: Listener
  private var restarts: Restarts
  private var state = State.idle { didSet { listener.onChange() } }
  private var starts = 0
  private var lifetime = Lifetime(startedAt: .zero)
  private var lastExit: Cause?
  /// Why this supervisor has killed it; nil if it hasn't.
  private var killed: String?
  private var pipes: [OutputPipe] = []

  init(_ shared: Shared, _ declared: DeclaredWorker, environment: EnvironmentBlock, seed: UInt64, listener: Listener) {
    self.shared = shared
    name = declared.name
    command = declared.command
    restarts = Restarts(
      declared.restart, backoff: declared.backoff.corePolicy, burst: shared.configuration.limits.workerBurst,
      settledAfter: shared.configuration.limits.workerSettled,
      seed: seed)
    timer = Timer(loop: shared.loop, name: "worker \(declared.name)")
    self.environment = environment
    self.listener = listener
  }

  /// The shape.
  var shape: ProcessShape {
    var shape = ProcessShape(name: name, restarts: max(0, starts - 1), lastExit: lastExit)
    switch state {
    case .running(let child, let since), .stopping(let child, let since, _):
      (shape.pid, shape.uptime) = (Int(child.pid), (loop.now - since).inSeconds)
    case .waiting(let until): shape.nextStart = until
    case .givenUp: shape.givenUp = true
    case .idle, .ended: break
    }
    return shape
  }

  /// Starts it at once if it waits for its restart, or was given up: the problem may have been fixed.
  func startNow() {
    guard !isLast else { return }
    switch state {
    case .waiting, .givenUp:
      timer.stop()
      restarts.forgive()
      start()
    case .idle, .running, .stopping, .ended: break
    }
  }

  /// Starts it.
  func start() {
    starts += 1
    (lifetime, killed) = (Lifetime(startedAt: loop.now), nil)
    do {
      let streams = try ChildStreams(loop: loop, output: .pipe, error: .pipe)
      let child = try ChildProcess(
        loop: loop, arguments: command.arguments, environment: environment, directory: command.directory,
        settings: command.settings, streams: streams
      ) { [weak self] in self?.exited($0) }
      logger.info("worker \(name) started, pid \(child.pid)", metadata: members(.processStarted, child))
      state = .running(child, since: lifetime.started)
      let start = starts
      let outputs = [(child.standardOutput, OutputName.stdout), (child.standardError, OutputName.stderr)]
      pipes = try outputs.compactMap { output, name in
        try output.map {
          try OutputPipe(loop: loop, descriptor: $0, lineLimit: limits.logLineBytes) { [weak self] line in
            self?.listener.onLine(start, name, line)
          }
        }
      }
    } catch {
      logger.warning("worker \(name): \(error)", metadata: members(.processEnded))
      if case .running(let child, _) = state {
        killed = "\(error)"
        child.kill()
      } else {
        lastExit = .notFound(message: "\(error)")
        decide(isSuccess: false, lived: .zero, how: "\(error)")
      }
    }
  }

  /// Notes that a client waits for initializers (`initctl wait`).
  ///
  /// Returns whether the client belongs to this process, which then isn't at work.
  ///
  /// `group` is the client's process group.
  func beginWait(_ client: Int, inGroup group: Int32) -> Bool {
    guard case .running(let child, _) = state, child.pid == group else { return false }
    lifetime.beginWait(client, at: loop.now)
    return true
  }

  /// Notes that a client's wait is over.
  func endWait(_ client: Int) { lifetime.endWait(client, at: loop.now) }

  /// Whether there is a process now.
  var isRunning: Bool {
    switch state {
    case .running, .stopping: true
    case .idle, .waiting, .givenUp, .ended: false
    }
  }

  /// The process isn't restarted.
  var isLast = false

  /// The process was stopped and has exited.
  private(set) var isStopped = false

  /// Ends it: SIGTERM, and SIGKILL after `grace`.
  ///
  /// Calls back when it has exited, at once if it isn't running.
  func stop(within grace: Duration, then action: @escaping () -> Void) {
    guard case .running(let child, let since) = state else { return finish(then: action) }
    state = .stopping(child, since: since, then: action)
    child.end(within: grace) { [unowned self] in
      killed = "it didn't exit within \(grace.words) of SIGTERM (cancelGrace)"
      logger.warning(
        .killing("worker \(name)", pid: child.pid, after: grace),
        metadata: .event(.killed, process: name, run: RunID(starts), pid: child.pid))
    }
  }

  private func finish(then action: () -> Void) {
    isStopped = true
    if case .ended = state {} else { state = .ended }
    timer.close()
    action()
  }

  /// Ends it at once.
  func kill() {
    switch state {
    case .running(let child, _), .stopping(let child, _, _):
      killed = killed ?? "initd didn't wait for it"
      child.kill()
    case .idle, .waiting, .givenUp, .ended: break
    }
  }

  private func exited(_ status: ExitStatus) {
    for pipe in pipes {
      pipe.drain()
      pipe.close()
    }
    pipes = []
    lastExit = killed.map { .error(message: "killed with SIGKILL: \($0)") } ?? Cause(status)
    // A cause says that a stranger has killed it.
    let predicate = if case .signaled = status, killed == nil { "was \(Cause(status))" } else { status.predicate }
    switch state {
    case .running(let child, let since):
      if let report = child.leftBehind.report(of: "worker \(name)") {
        logger.warning(
          "\(report)",
          metadata: .event(.leftBehind, process: name, run: RunID(starts), pids: child.leftBehind.map(\.pid)))
      }
      logger.log(
        level: status.isSuccess ? .info : .warning, "worker \(name) \(predicate)",
        metadata: members(.processEnded, child, since: since))
      listener.onEnd(starts, status.isSuccess ? .complete : .failed)
      decide(isSuccess: status.isSuccess, lived: lifetime.lived(at: loop.now), how: lastExit.map { "\($0)" } ?? "")
    case .stopping(let child, let since, let action):
      logger.info("worker \(name) \(predicate)", metadata: members(.processEnded, child, since: since))
      listener.onEnd(starts, .cancelled)
      finish(then: action)
    case .idle, .waiting, .givenUp, .ended: break
    }
  }

  private func decide(isSuccess: Bool, lived: Duration, how: String) {
    guard !isLast else {
      state = .ended
      return
    }
    switch restarts.ended(isSuccess: isSuccess, lived: lived) {
    case .done: state = .ended
    case .givenUp(let ends):
      state = .givenUp
      logger.error(
        """
        worker \(name) is given up: none of \(ends) starts in a row lasted \(limits.workerSettled.words), the last: \(how); \
        see initctl logs \(name), fix it, and start it with initctl launch or activate
        """, metadata: members(.processGivenUp))
    case .again(let delay):
      state = .waiting(until: shared.time + delay.inSeconds)
      logger.info("worker \(name) restarts in \(Phrases.duration(delay.inSeconds))")
      timer.start(after: delay) { [weak self] in
        guard let self, !isLast else { return }
        start()
      }
    }
  }

  /// Returns the members of a log line.
  ///
  /// `since` says when the process was started, if it has ended.
  private func members(
    _ event: Logger.Metadata.EventName, _ child: ChildProcess? = nil, since: Duration? = nil
  ) -> Logger.Metadata {
    .event(
      event, process: name, run: RunID(starts), pid: child?.pid, duration: since.map { loop.now - $0 },
      cause: since == nil ? nil : lastExit)
  }
}

extension Cause {
  /// Describes how a process ended.
  init(_ status: ExitStatus) {
    switch status {
    case .exited(let status): self = .exit(status: status)
    case .signaled(let number): self = .signal(SignalName.of(number))
    case .unknown: self = .error(message: "\(status)")
    }
  }
}
