internal import CommandLineOptions
internal import Glibc
internal import InitClient
internal import InitWire
internal import Libuv
internal import Platform

// Invariants:
//
// 1. Events only signal a change; then one Status is requested and shown. So a picture always shows one moment, and a burst of events costs
//    one request.
// 2. It is drawn at most every `shortestPause`, and, because it shows durations, at least every `longestPause`.
// 3. A line never wraps, and the picture is one row shorter than the window, so that the cursor can return to its top.
// 4. The cursor is hidden while it is shown, and is back before the process stops, ends, or dies of a signal.

/// A Status on a terminal, redrawn at every change.
final class WatchPicture {
  /// The shortest time between two drawings.
  private static let shortestPause = Duration.milliseconds(50)
  /// The longest time between two drawings while something runs.
  private static let pauseWhileRunning = Duration.milliseconds(200)
  /// It isn't drawn less often than this, even if nothing runs.
  private static let longestPause = Duration.seconds(1)

  private let client: Client
  private let loop: Loop
  private let subscription: EventSequence
  private let bell = Bell()
  private let timer: Timer
  private var status: StatusShape
  private var statusTime: Duration
  private var rowsDrawn = 0
  private var signals: [SignalSource] = []

  init(client: Client, subscription: EventSequence) {
    self.client = client
    loop = client.loop
    self.subscription = subscription
    status = subscription.status
    statusTime = client.loop.now
    timer = Timer(loop: client.loop, name: "picture")
  }

  /// Shows it until the supervisor ends.
  func show() async throws -> ProgramStatus {
    try watchSignals()
    let reader = readEvents()
    try Console.write("\u{1B}[?25l")
    defer { restoreCursor() }
    var isStale = false
    var drawn = loop.now
    try draw()
    while true {
      timer.start(at: drawn + pause(isStale: isStale)) { [bell] in bell.ring(.timePassed) }
      let reasons = await bell.wait()
      if reasons.contains(.interrupted) { die() }
      if reasons.contains(.suspended) { try suspend() }
      if reasons.contains(.resized) {
        try Console.write("\u{1B}[H\u{1B}[2J")
        rowsDrawn = 0
      }
      if reasons.contains(.ended) {
        try await reader.value
        return .success
      }
      if reasons.contains(.changed) { isStale = true }
      guard loop.now >= drawn + WatchPicture.shortestPause || reasons.contains(.resized) else { continue }
      if isStale, let newer = try? await client.status() {
        (status, statusTime) = (newer, loop.now)
        isStale = false
      }
      drawn = loop.now
      try draw()
    }
  }

  private func pause(isStale: Bool) -> Duration {
    if isStale { return WatchPicture.shortestPause }
    let isRunning = status.initializers.contains { $0.status == .running || $0.status == .stopping }
    return isRunning ? WatchPicture.pauseWhileRunning : WatchPicture.longestPause
  }

  /// Rings for every event, and at the end; returns the error at the end.
  private func readEvents() -> Task<Void, any Error> {
    let (subscription, bell) = (subscription, bell)
    return Task(executorPreference: loop) {
      defer { bell.ring(.ended) }
      for try await _ in subscription { bell.ring(.changed) }
    }
  }

  private func watchSignals() throws {
    func watch(_ signal: Int32, _ reason: Bell.Reasons) throws {
      signals.append(try SignalSource(loop: loop, signal: signal) { [bell] in bell.ring(reason, signal) })
    }
    // All signals that would end the process.
    for signal in ForwardableSignals.notIgnored where ![SIGTSTP, SIGWINCH, SIGCONT, SIGURG].contains(signal) {
      try watch(signal, .interrupted)
    }
    try watch(SIGTSTP, .suspended)
    try watch(SIGWINCH, .resized)
  }

  private func draw() throws {
    let terminal = OutputTerminal.current
    let moment = status.time + Double((loop.now - statusTime) / .milliseconds(1)) / 1000
    let lines = WatchPicture.fit(StatusTable(terminal: terminal).lines(status, now: moment), terminal)
    // Overwrites the old picture line by line, and erases the rest of each line and the rows below.
    var text = rowsDrawn > 0 ? "\u{1B}[\(rowsDrawn)A\r" : "\r"
    for line in lines { text += line + "\u{1B}[K\n" }
    try Console.write(text + "\u{1B}[J")
    rowsDrawn = lines.count
  }

  /// As many lines as fit into the window, with one row left for the cursor.
  static func fit(_ lines: [String], _ terminal: OutputTerminal) -> [String] {
    guard let rows = terminal.size?.rows, lines.count > rows - 1 else { return lines }
    let room = max(1, rows - 1)
    return lines.prefix(room - 1) + ["… \(lines.count - room + 1) more lines"]
  }

  private func restoreCursor() {
    // If the terminal is closed, there is no cursor to restore.
    try? Console.write("\u{1B}[?25h")
  }

  private func suspend() throws {
    restoreCursor()
    raise(SIGSTOP)
    // Continued: the window's size may have changed, and the shell has written in it.
    try Console.write("\u{1B}[?25l")
    rowsDrawn = 0
  }

  /// Ends by the same signal, as the parent process expects.
  private func die() -> Never {
    restoreCursor()
    let number = bell.signal
    for source in signals { source.close() }
    signal(number, SIG_DFL)
    raise(number)
    _exit(128 + number)
  }
}
