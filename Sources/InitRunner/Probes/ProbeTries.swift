internal import InitCore
internal import Platform

/// The tries of a probe: a value that decides the next step (S31).
///
/// A try goes through the addresses of the host, one after another; each has its share of the try's remaining time. The first address that
/// succeeds ends the tries. If none does, the next try follows after a pause.
struct ProbeTries: Equatable {
  /// The next step of a try.
  enum Step: Equatable {
    /// Look up the host's addresses, until that moment.
    case lookUp(String, until: Duration)
    /// Connect to an address of the host, until that moment.
    case connect(IPAddress, port: UInt16, until: Duration)
    /// Connect to a Unix socket, until that moment.
    case connectToSocket(String, until: Duration)
    /// Look for a file, until that moment.
    case findFile(String, until: Duration)
    /// Execute a command, until that moment.
    case execute([String], until: Duration)
    /// Find out whether the answer came from the process.
    case verify
    /// Send this request on the connection, until the moment for which it was made.
    case ask([UInt8])
    /// Begin the next try at that moment.
    case pause(until: Duration)
    /// It holds.
    case complete
  }

  let probe: Probe
  private let isVerified: Bool
  /// How many tries have failed.
  private(set) var failed = 0
  /// Why the last try failed.
  private(set) var failure: ProbeFailure?
  private var deadline = Duration.zero
  private var addresses: ArraySlice<IPAddress> = []
  /// Why the answer of this address doesn't count, whoever gave it.
  private var badAnswer: ProbeFailure?
  /// The reason why this try has failed so far.
  private var failureOfTry: ProbeFailure?

  /// - Parameters:
  ///   - probe: the probe to try.
  ///   - ofOwner: whether an answer counts only if it comes from a certain process, which is verified.
  init(_ probe: Probe, ofOwner: Bool = false) {
    self.probe = probe
    isVerified = ofOwner
  }

  /// Begins a try.
  mutating func begin(at now: Duration) -> Step {
    deadline = now + probe.tryTimeout
    addresses = []
    failureOfTry = nil
    switch probe.target {
    case .tcp(let endpoint): return .lookUp(endpoint.host, until: deadline)
    case .http(let page): return .lookUp(page.endpoint.host, until: deadline)
    case .unix(let path): return .connectToSocket(path, until: deadline)
    case .path(let path): return .findFile(path, until: deadline)
    case .command(let arguments): return .execute(arguments, until: deadline)
    // Its values are put in before the first try.
    case .later: return failed(.noAnswer, at: now)
    }
  }

  /// Handles the addresses of the host.
  mutating func found(_ addresses: [IPAddress], at now: Duration) -> Step {
    self.addresses = addresses[...]
    return next(at: now)
  }

  /// Handles an established connection.
  func connected() -> Step {
    switch probe.target {
    case .http(let page): .ask(page.request)
    case .tcp, .unix: isVerified ? .verify : .complete
    case .path, .command, .later: .complete
    }
  }

  /// Handles that the file was found, or the command has succeeded.
  func found() -> Step { .complete }

  /// Handles that the answer is that of the process.
  mutating func verified(at now: Duration) -> Step { badAnswer.map { failed($0, at: now) } ?? .complete }

  /// Handles an answer with this status.
  mutating func answered(_ status: Int, at now: Duration) -> Step {
    guard case .http(let page) = probe.target, !page.statuses.contains(status) else {
      return isVerified ? .verify : .complete
    }
    return answered(.status(status), at: now)
  }

  /// Handles a bad answer.
  ///
  /// If it isn't that of the process, its owner explains more.
  mutating func answered(_ failure: ProbeFailure, at now: Duration) -> Step {
    guard isVerified else { return failed(failure, at: now) }
    badAnswer = failure
    return .verify
  }

  /// Handles the failure of a part of the try.
  mutating func failed(_ failure: ProbeFailure, at now: Duration) -> Step {
    badAnswer = nil
    if failure.weight >= failureOfTry?.weight ?? 0 { failureOfTry = failure }
    return next(at: now)
  }

  /// Goes on with the next address, or ends the try.
  private mutating func next(at now: Duration) -> Step {
    if now < deadline, let endpoint = probe.endpoint, let address = addresses.first {
      let share = (deadline - now) / addresses.count
      addresses.removeFirst()
      return .connect(address, port: endpoint.port, until: now + share)
    }
    failed += 1
    failure = failureOfTry ?? .noAnswer
    return .pause(until: now + probe.every)
  }
}
