internal import EventLoop
internal import InitCore

/// Checks whether somebody answers in the place of a process that a person runs by hand (S39).
///
/// One check at a time; between two checks it has only a timer.
final class ExternalWatch {
  private let loop: Loop
  private let probe: Probe
  private let every: Duration
  private let subject: ProbeRun.Subject
  private let timer: EventLoop.Timer
  private var run: ProbeRun?
  /// Whether somebody answered the last check.
  private(set) var isUp = false
  private let onChange: (Bool) -> Void

  /// `every` is the pause between two checks while somebody answers; that of the probe holds until then.
  init(
    _ probe: Probe, every: Duration, loop: Loop, of subject: ProbeRun.Subject, onChange: @escaping (Bool) -> Void
  ) {
    self.loop = loop
    self.probe = probe
    self.every = every
    self.subject = subject
    self.onChange = onChange
    timer = Timer(loop: loop, name: "external")
  }

  /// Begins a check, which is repeated until somebody answers.
  func start() {
    let run = ProbeRun(
      probe, loop: loop, of: subject,
      onFailure: { [weak self] _, _ in self?.tell(false) },
      onComplete: { [weak self] in
        guard let self else { return }
        self.run?.close()
        self.run = nil
        timer.start(after: every) { [weak self] in self?.start() }
        tell(true)
      })
    self.run = run
    run.start()
  }

  /// Ends the checks; nothing is called any more.
  func close() {
    run?.close()
    run = nil
    timer.close()
  }

  private func tell(_ isUp: Bool) {
    guard isUp != self.isUp else { return }
    self.isUp = isUp
    onChange(isUp)
  }
}
