internal import EventLoop
internal import HostNames
internal import InitCore
internal import InitProcesses
internal import InitWords
internal import Platform

/// Executes the tries of a probe on the loop, one at a time, until it holds.
///
/// Between two tries, the run has only its timer.
final class ProbeRun {
  private let loop: Loop
  private var tries: ProbeTries
  private let timer: EventLoop.Timer
  private var dial: Dial?
  private var lookup: NameLookup?
  /// Whether a query for the file is under way, perhaps of an earlier try.
  private var isLookingForFile = false
  /// Whether the current try waits for its answer.
  private var awaitsFile = false
  /// Called after each failed try, with the reason and the number of failed tries.
  private let onFailure: (String, Int) -> Void
  /// Called once, when the condition holds.
  private let onComplete: () -> Void
  private let subject: Subject?
  /// Ends the command of this try.
  private var endCommand: (() -> Void)?

  /// The process whose readiness is probed.
  struct Subject {
    /// Returns the other owner of a socket that has answered; nil if the socket belongs to the process, or its owner is unknown.
    var stranger: (AnsweringSocket) -> String?
    /// Executes a command in its environment, and calls back once: with nil, or why it has failed.
    ///
    /// Returns a closure that ends the command, after which nothing is called back.
    var execute: ([String], @escaping (Cause?) -> Void) -> () -> Void
  }

  init(
    _ probe: Probe, loop: Loop, of subject: Subject? = nil, isOwner: Bool = false,
    onFailure: @escaping (String, Int) -> Void, onComplete: @escaping () -> Void
  ) {
    self.loop = loop
    self.subject = subject
    tries = ProbeTries(probe, ofOwner: isOwner)
    timer = Timer(loop: loop, name: "probe")
    self.onFailure = onFailure
    self.onComplete = onComplete
  }

  /// Begins the first try.
  func start() { perform(tries.begin(at: loop.now)) }

  /// Ends the tries; nothing is called any more.
  func close() {
    drop()
    timer.close()
  }

  /// Closes the connections and files of a part of a try.
  private func drop() {
    endCommand?()
    endCommand = nil
    lookup?.close()
    dial?.close()
    lookup = nil
    dial = nil
    awaitsFile = false
  }

  private func perform(_ step: ProbeTries.Step) {
    switch step {
    case .ask(let request): return ask(request)
    case .verify: return verify()
    case .lookUp, .connect, .connectToSocket, .findFile, .execute, .pause, .complete: drop()
    }
    switch step {
    case .lookUp(let host, let end): lookUp(host, until: end)
    case .connect(let address, let port, let end):
      dial(until: end) { $0.connect(to: address, port: port, then: $1) }
    case .connectToSocket(let path, let end): dial(until: end) { $0.connect(toUnix: path, then: $1) }
    case .findFile(let path, let end): findFile(path, until: end)
    case .execute(let arguments, let end): execute(arguments, until: end)
    case .ask, .verify: break
    case .pause(let end):
      timer.start(at: end) { [weak self] in
        guard let self else { return }
        perform(tries.begin(at: loop.now))
      }
      if let failure = tries.failure { onFailure(failure.words(for: tries.probe), tries.failed) }
    case .complete:
      timer.stop()
      onComplete()
    }
  }

  private func fail(_ failure: ProbeFailure) { perform(tries.failed(failure, at: loop.now)) }

  private func lookUp(_ host: String, until end: Duration) {
    let lookup = NameLookup(loop: loop)
    self.lookup = lookup
    lookup.find(host, until: end) { [weak self] addresses, fault in
      guard let self else { return }
      if let fault { fail(.unknownHost(fault)) } else { perform(tries.found(addresses, at: loop.now)) }
    }
  }

  private func dial(until end: Duration, _ connect: (Dial, @escaping (SystemError?) -> Void) -> Void) {
    let dial = Dial(loop: loop)
    self.dial = dial
    expire(at: end)
    connect(dial) { [weak self] error in
      guard let self else { return }
      if let error { fail(.notConnected(error)) } else { perform(tries.connected()) }
    }
  }

  private func ask(_ request: [UInt8]) {
    var line = StatusLine()
    dial?.ask(request) { [weak self] bytes, error in
      guard let self else { return }
      guard let bytes, !bytes.isEmpty else { return fail(error.map { .notConnected($0) } ?? .closed) }
      switch line.read(bytes) {
      case .more: break
      case .status(let status): perform(tries.answered(status, at: loop.now))
      case .invalid: perform(tries.answered(.notHTTP, at: loop.now))
      }
    }
  }

  /// Checks that the answer came from the process itself.
  private func verify() {
    guard let socket = dial?.answeringSocket else { return fail(.closed) }
    if let stranger = subject?.stranger(socket) {
      fail(.stranger(stranger))
    } else {
      perform(tries.verified(at: loop.now))
    }
  }

  private func execute(_ arguments: [String], until end: Duration) {
    expire(at: end)
    endCommand = subject?.execute(arguments) { [weak self] cause in
      guard let self else { return }
      endCommand = nil
      if let cause { fail(.check(cause)) } else { perform(tries.found()) }
    }
  }

  /// Looks for a file.
  ///
  /// While the file system doesn't answer, no second query is started.
  private func findFile(_ path: String, until end: Duration) {
    expire(at: end)
    awaitsFile = true
    guard !isLookingForFile else { return }
    isLookingForFile = true
    loop.findFile(path) { [weak self] error in
      guard let self else { return }
      isLookingForFile = false
      guard awaitsFile else { return }
      if let error { fail(.noFile(error)) } else { perform(tries.found()) }
    }
  }

  /// Fails the current part of the try, unless it ends before that moment.
  private func expire(at end: Duration) {
    timer.start(at: end) { [weak self] in self?.fail(.noAnswer) }
  }
}
