internal import EventLoop
internal import InitCore
internal import InitText

/// Checks a process that is ready, one check at a time, or waits for its reports (S38).
///
/// Between two checks it has only a timer.
final class HealthWatch {
  private let loop: Loop
  private let policy: HealthPolicy
  private let subject: ProbeRun.Subject
  /// What is tried, with the values of the start that runs; nil for reports.
  private let probe: Probe?
  private let isOwner: Bool
  private let timer: EventLoop.Timer
  private var run: ProbeRun?
  private var health: Health
  private let onChange: (Health.Change) -> Void

  /// How late a timer may be before something has kept this process from running.
  private static let slack = Duration.seconds(1)

  /// See ``Health/illness``.
  var illness: Health.Illness? { health.illness }

  /// `isIll` says that the process was unhealthy before this start, and nothing has shown that it isn't any more.
  init(
    _ policy: HealthPolicy, probe: Probe?, isOwner: Bool, isIll: Bool, loop: Loop, of subject: ProbeRun.Subject,
    onChange: @escaping (Health.Change) -> Void
  ) {
    self.loop = loop
    self.policy = policy
    self.probe = probe
    self.isOwner = isOwner
    self.subject = subject
    self.onChange = onChange
    // A longer pause between two results than a check takes, and the next one is late.
    let gap = probe.map { $0.every * 2 + $0.tryTimeout + Self.slack } ?? .zero
    health = Health(tries: policy.isReported ? 1 : policy.tries, gap: gap, isIll: isIll, at: loop.now)
    timer = Timer(loop: loop, name: "health")
  }

  /// Begins: the first check comes after the first pause.
  func start() { pause() }

  /// Ends the checks; nothing is called any more.
  func close() {
    run?.close()
    run = nil
    timer.close()
  }

  /// Records that the process has reported that it is alive.
  func reported() {
    guard policy.isReported else { return }
    pause()
    tell(health.succeeded(at: loop.now))
  }

  private func pause() {
    switch policy.check {
    case .probe, .readiness: if let probe { timer.start(after: probe.every) { [weak self] in self?.check() } }
    case .watchdog(let span):
      let due = loop.now + span
      timer.start(at: due) { [weak self] in self?.missed(span, due: due) }
    }
  }

  private func missed(_ span: Duration, due: Duration) {
    // Reports may wait to be read if this process, or the machine, was stopped in the meantime.
    if loop.now > due + Self.slack { return pause() }
    tell(health.failed("no WATCHDOG=1 within \(span.words)", at: loop.now))
  }

  private func check() {
    guard let probe else { return }
    // The tries of a probe go on until one succeeds, with the same pause between them.
    let run = ProbeRun(
      probe, loop: loop, of: subject, isOwner: isOwner,
      onFailure: { [weak self] failure, _ in
        guard let self else { return }
        tell(health.failed(failure, at: loop.now))
      },
      onComplete: { [weak self] in
        guard let self else { return }
        self.run?.close()
        self.run = nil
        pause()
        tell(health.succeeded(at: loop.now))
      })
    self.run = run
    run.start()
  }

  /// The last act of a turn: the owner may end the watch.
  private func tell(_ change: Health.Change) { if change != .none { onChange(change) } }
}
