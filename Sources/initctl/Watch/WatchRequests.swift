/// Decides which requests `watch` makes besides events: usual durations after each pass, the output of failed runs, repeatedly the output
/// of running ones, and one log.
struct WatchRequests {
  enum Fetch: Equatable {
    /// How long phases and initializers usually take.
    case usual
    /// The last lines of a failed or current run.
    case output(name: String, run: Int)
    /// The log of an initializer.
    case log(String)
  }

  /// The timeout of an optional answer; without it, the screen is less detailed.
  static let patience = Duration.seconds(2)
  /// The maximum number of output lines of a failed run.
  static let linesOfOutput = 100
  /// How many lines of a log are shown.
  static let linesOfLog = 1000
  /// The time between two requests for the same log.
  static let logPause = Duration.seconds(1)

  private var connections = 0
  private var endedPasses: Int?
  private var runs: Set<Int> = []
  private var runningTime: Duration?
  private var logName: String?
  private var logTime: Duration?
  private var isLogAsked = false

  /// Returns the requests to send now.
  mutating func due(_ model: WatchModel, _ view: WatchView, now: Duration) -> [Fetch] {
    switch model.link {
    case .lost, .silent: return []
    case .up, .renewed: break
    }
    if connections != model.connections {
      self = WatchRequests()
      connections = model.connections
    }
    var due: [Fetch] = []
    if endedPasses != model.endedPasses {
      endedPasses = model.endedPasses
      due.append(.usual)
    }
    let failures = model.failures
    for each in failures where !runs.contains(each.run) { due.append(.output(name: each.name, run: each.run)) }
    runs = Set(failures.map(\.run))
    if runningTime.map({ now >= $0 + Self.logPause }) ?? true, !model.running.isEmpty {
      runningTime = now
      for each in model.running { due.append(.output(name: each.name, run: each.run)) }
    }
    guard case .one(let name) = view.mode else {
      logName = nil
      return due
    }
    if logName != name {
      logName = name
      logTime = nil
      isLogAsked = false
    }
    if !isLogAsked, logTime.map({ now >= $0 + Self.logPause }) ?? true {
      isLogAsked = true
      due.append(.log(name))
    }
    return due
  }

  /// Records the answer with an initializer's log.
  ///
  /// Returns whether the log is still shown.
  mutating func logAnswered(_ name: String, now: Duration) -> Bool {
    guard logName == name else { return false }
    logTime = now
    isLogAsked = false
    return true
  }
}
