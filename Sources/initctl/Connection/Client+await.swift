internal import CommandLineOptions
internal import EventLoop
internal import InitClient
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

extension Client {
  /// How much later than its timeout the answer may arrive before the supervisor counts as stuck.
  private static let patience = Duration.seconds(2)

  /// How long a wait is silent about an app that only an activation makes ready: most waits are over by then.
  private static let silence = Duration.milliseconds(100)

  /// The outcome of a wait for one target.
  private enum WaitEnd: Sendable {
    case state(Status.State)
    case late(Status?)
    case unknown
  }

  /// Waits for a target, and prints on standard error why it isn't complete, or which initializers are still pending.
  ///
  /// Returns the exit status.
  func await(_ target: WaitTarget, timeout: Duration?) async throws -> ProgramStatus {
    try await self.await([target], isAny: false, timeout: timeout, appear: false)
  }

  /// Waits for all targets, or for any of them.
  func await(
    _ targets: [WaitTarget], isAny: Bool, timeout: Duration?, appear: Bool
  ) async throws -> ProgramStatus {
    // Not a sleeping task, which would start a thread for each wait.
    let notice = Timer(loop: loop, name: "notice")
    if targets.contains(where: \.mayNeedActivation) {
      notice.start(after: Client.silence) { [weak self] in
        guard let self else { return }
        Task(executorPreference: self.loop) { await self.noticeInactivity(of: targets) }
      }
    }
    defer { notice.close() }
    // One target is the usual case; a task group would add 15 % to the instructions of `initctl wait`.
    guard targets.count == 1 else {
      return try await awaitEach(targets, isAny: isAny, timeout: timeout, appear: appear)
    }
    var ends = WaitEnds()
    let end = try await end(of: targets[0], timeout: timeout, appear: appear)
    if let status = await handle(end, of: targets[0], isAny, &ends) { return status }
    return await conclude(ends, timeout)
  }

  /// Waits until these processes are ready, if asked to; those without `ready` are no initializers, and aren't waited for.
  func awaitProcesses(_ names: [String], _ waiting: WaitingOptions) async throws -> ProgramStatus {
    guard waiting.wait else { return .success }
    let status = try await status()
    let known = Dictionary(status.initializers.map { ($0.name, $0) }) { first, _ in first }
    // After another failure, no pass runs them: their processes start, and nobody waits for them.
    let isIdle = { (name: String) in known[name]?.status == .idle && status.launch.state == .failed }
    for name in names.filter(isIdle) {
      Console.complain("\(TerminalText.escape(name)) isn't waited for, because launch has failed: initctl launch")
    }
    let targets = names.filter { known[$0] != nil && !isIdle($0) }.map { WaitTarget.initializer($0) }
    guard !targets.isEmpty else { return .success }
    return try await self.await(targets, isAny: false, timeout: waiting.timeout, appear: false)
  }

  /// Says on standard error that only an activation can bring what is waited for, if that is so.
  private func noticeInactivity(of targets: [WaitTarget]) async {
    guard let status = try? await status(), targets.contains(where: Situation(status).needsActivation) else { return }
    Console.complain("the app is inactive: initctl activate, or wait launch")
  }

  private func awaitEach(
    _ targets: [WaitTarget], isAny: Bool, timeout: Duration?, appear: Bool
  ) async throws -> ProgramStatus {
    try await withThrowingTaskGroup(of: (index: Int, end: WaitEnd).self) { group in
      for (index, target) in targets.enumerated() {
        group.addTask(executorPreference: self.loop) {
          (index, try await self.end(of: target, timeout: timeout, appear: appear))
        }
      }
      // The other waits are cancelled.
      defer { group.cancelAll() }
      var ends = WaitEnds()
      for try await (index, end) in group {
        if let status = await handle(end, of: targets[index], isAny, &ends) { return status }
      }
      ends.late.sort { targets.firstIndex(of: $0) ?? 0 < targets.firstIndex(of: $1) ?? 0 }
      return await conclude(ends, timeout)
    }
  }

  /// The targets that have ended, but not complete.
  private struct WaitEnds {
    var failed: [(target: WaitTarget, state: Status.State)] = []
    var late: [WaitTarget] = []
    var status: Status?
  }

  /// Handles the end of the wait for a target.
  ///
  /// Returns the exit status if all waits end with it.
  private func handle(
    _ end: WaitEnd, of target: WaitTarget, _ isAny: Bool, _ ends: inout WaitEnds
  ) async -> ProgramStatus? {
    switch end {
    case .state(let state) where state.state == .complete: return isAny ? .success : nil
    case .state(let state):
      ends.failed.append((target, state))
      return isAny ? nil : await explain(ends.failed)
    case .late(let known):
      ends.late.append(target)
      ends.status = known ?? ends.status
      return nil
    case .unknown:
      return await UnknownName.complain(
        of: target.description, on: self, words: WaitTarget.words,
        remedy: "initctl status lists them; --appear waits for one that isn't declared yet")
    }
  }

  /// Explains how all waits have ended, and returns the exit status.
  private func conclude(_ ends: WaitEnds, _ timeout: Duration?) async -> ProgramStatus {
    guard ends.late.isEmpty else { return await explain(late: ends.late, timeout, ends.status) }
    return ends.failed.isEmpty ? .success : await explain(ends.failed)
  }

  private func end(
    of target: WaitTarget, timeout: Duration?, appear: Bool
  ) async throws(ClientError) -> WaitEnd {
    do throws(ClientError) {
      return .state(
        try await send(
          WaitRequest(for: target, timeout: timeout?.inSeconds, appear: appear),
          within: timeout.map { $0 + Client.patience }))
    } catch {
      guard case .refused(let refusal) = error else { throw error }
      switch refusal.knownCode {
      case .timeout: if case .status(let status) = refusal.detail { return .late(status) } else { return .late(nil) }
      case .unknownInitializer: return .unknown
      default: throw error
      }
    }
  }

  /// Prints on standard error why a target isn't complete, if it isn't.
  ///
  /// Returns the exit status.
  func explain(_ target: WaitTarget, _ state: Status.State) async -> ProgramStatus {
    state.state == .complete ? .success : await explain([(target, state)])
  }

  private func explain(_ failed: [(target: WaitTarget, state: Status.State)]) async -> ProgramStatus {
    for (target, state) in failed {
      Console.complain(WaitReport.sentence(target, state))
      // The reason is already printed. If the tree can't be fetched, or the target has changed its status, nothing more is printed.
      guard let status = try? await status(), let why = await why(target, status),
        ProgramStatus(for: why) == .failure
      else { continue }
      Console.explain(WaitReport.lines(why, .ofErrors, now: status.time))
    }
    return .failure
  }

  private func explain(
    late targets: [WaitTarget], _ timeout: Duration?, _ status: Status?
  ) async -> ProgramStatus {
    var trees: [Explanation] = []
    if let status {
      for target in targets { if let why = await why(target, status) { trees.append(why) } }
    }
    let now = status?.time ?? 0
    Console.complain(WaitReport.lateness(targets, after: timeout, trees.first, now: now))
    for tree in trees { Console.explain(WaitReport.lines(tree, .ofErrors, now: now)) }
    return .timedOut
  }
}

extension WaitTarget {
  /// Whether the target can belong to the active phase.
  fileprivate var mayNeedActivation: Bool {
    switch self {
    case .state(.launch), .pass: false
    case .state(.ready), .state(.active), .state(.composite), .initializer: true
    }
  }
}
