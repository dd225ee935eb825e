internal import Glibc
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging

/// A process that the supervisor starts and, if it ends, starts again: a worker of the manifest. On the loop's thread.
final class KeptProcess {
  /// What becomes of it.
  private enum State {
    case idle
    case running(ChildProcess, since: Duration)
    /// Until it is started again.
    case waiting
    /// It was told to end; what is left to do then.
    case stopping(ChildProcess, then: () -> Void)
    /// It ended too often; until somebody asks for it.
    case givenUp
    case ended
  }

  let name: String
  private let command: Command
  private let loop: Loop
  private let environment: EnvironmentBlock
  private let limits: Limits
  private let logger: Logger
  private let timer: Libuv.Timer
  private let onLine: (Int, OutputName, [UInt8]) -> Void
  private var restarts: Restarts
  private var state = State.idle
  private var starts = 0
  private var pipes: [OutputPipe] = []

  /// - Parameter onLine: told of each line that it writes, with the number of its start.
  init(
    _ declared: DeclaredWorker, loop: Loop, environment: EnvironmentBlock, limits: Limits, seed: UInt64, logger: Logger,
    onLine: @escaping (Int, OutputName, [UInt8]) -> Void
  ) {
    name = declared.name
    command = declared.command
    restarts = Restarts(
      declared.restart, backoff: declared.backoff, burst: limits.workerBurst, settledAfter: limits.workerSettled,
      seed: seed)
    timer = Timer(loop: loop, name: "worker \(declared.name)")
    (self.loop, self.environment, self.limits, self.logger, self.onLine) = (loop, environment, limits, logger, onLine)
  }

  /// Starts it anew, if it was given up: what kept it from running may have been mended.
  func startIfGivenUp() {
    guard case .givenUp = state, !isLast else { return }
    restarts.forgive()
    start()
  }

  /// Starts it.
  func start() {
    starts += 1
    do {
      let streams = try ChildStreams(loop: loop, output: .pipe, error: .pipe)
      let child = try ChildProcess(
        loop: loop, arguments: command.arguments, environment: environment, directory: command.directory,
        streams: streams
      ) { [weak self] in self?.exited($0) }
      state = .running(child, since: loop.now)
      let start = starts
      let outputs = [(child.standardOutput, OutputName.stdout), (child.standardError, OutputName.stderr)]
      pipes = try outputs.compactMap { output, name in
        try output.map {
          try OutputPipe(loop: loop, descriptor: $0, lineLimit: limits.logLineBytes) { [weak self] line in
            self?.onLine(start, name, line)
          }
        }
      }
      logger.info("worker \(name) started, pid \(child.pid)")
    } catch {
      logger.warning("worker \(name): \(error)")
      if case .running(let child, _) = state {
        child.signalGroup(SIGKILL)
      } else {
        decide(isSuccess: false, lived: .zero, how: "\(error)")
      }
    }
  }

  /// It isn't started again.
  var isLast = false

  /// Ends it: SIGTERM, and SIGKILL after `grace`. Calls back when it has gone, at once if it doesn't run.
  func stop(within grace: Duration, then action: @escaping () -> Void) {
    guard case .running(let child, _) = state else {
      state = .ended
      timer.close()
      return action()
    }
    state = .stopping(child, then: action)
    child.signalGroup(SIGTERM)
    timer.start(after: grace) { child.signalGroup(SIGKILL) }
  }

  /// Ends it at once.
  func kill() {
    switch state {
    case .running(let child, _), .stopping(let child, _): child.signalGroup(SIGKILL)
    case .idle, .waiting, .givenUp, .ended: break
    }
  }

  private func exited(_ status: ExitStatus) {
    for pipe in pipes {
      pipe.drain()
      pipe.close()
    }
    pipes = []
    switch state {
    case .running(_, let since):
      logger.log(level: status == .exited(0) ? .info : .warning, "worker \(name) ended: \(status)")
      decide(isSuccess: status == .exited(0), lived: loop.now - since, how: "\(status)")
    case .stopping(_, let action):
      logger.info("worker \(name) ended: \(status)")
      state = .ended
      timer.close()
      action()
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
        worker \(name) is given up: none of \(ends) starts in a row lasted \(limits.workerSettled.inSeconds) s, the last: \(how); \
        see initctl logs \(name), mend it, and start it with initctl launch or activate
        """)
    case .again(let delay):
      state = .waiting
      logger.info("worker \(name) is started again in \((delay.inSeconds * 1000).rounded() / 1000) s")
      timer.start(after: delay) { [weak self] in
        guard let self, !isLast else { return }
        start()
      }
    }
  }
}
