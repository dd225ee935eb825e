internal import DequeModule
public import InitCore

/// The ended passes and their runs, with their timing.
///
/// It records a machine's notices. It is bounded in passes and in runs of all passes: the oldest passes are dropped first, and a pass with
/// more runs than the bound keeps the newest.
public struct History: Sendable {
  /// A pass that has ended.
  public struct Pass: Hashable, Sendable {
    /// Its number.
    public var number: Int
    /// Its phase.
    public var phase: Phase
    /// When it started.
    public var started: Instant
    /// How long it took, including waiting.
    public var duration: Duration
    /// How it ended: complete, failed or cancelled.
    public var outcome: PassStatus
    /// Its runs, in the order in which they ended.
    public var runs: [RunRecord]
  }

  private struct Open: Sendable {
    var started: Instant
    var runs: Deque<RunRecord> = []
  }

  /// How many passes are kept.
  public let passLimit: Int
  /// How many runs are kept, over all passes.
  public let runLimit: Int
  private var ended: Deque<Pass> = []
  private var open: [Int: Open] = [:]
  private var endedRuns = 0

  /// An empty history with these bounds.
  public init(passLimit: Int = Machine.rememberedPasses, runLimit: Int = 20_000) {
    self.passLimit = passLimit
    self.runLimit = runLimit
  }

  /// Records a notice of the machine at `now`.
  public mutating func note(_ notice: Notice, at now: Instant) {
    switch notice {
    case .pass(let number, _, .started): open[number] = Open(started: now)
    case .pass(let number, let phase, let outcome): close(number, phase, outcome, at: now)
    case .runEnded(let run):
      open[run.pass]?.runs.append(run)
      if let count = open[run.pass]?.runs.count, count > runLimit { open[run.pass]?.runs.removeFirst() }
    case .state, .initializer, .initializerRemoved, .passAbandoned: break
    }
  }

  /// The last `limit` passes that have ended, the newest last.
  public func passes(last limit: Int) -> [Pass] { Array(ended.suffix(max(0, limit))) }

  private mutating func close(_ number: Int, _ phase: Phase, _ outcome: PassStatus, at now: Instant) {
    guard let pass = open.removeValue(forKey: number) else { return }
    // Not `Array(runs)`: with an empty deque it writes to the empty array that all threads share.
    ended.append(
      Pass(
        number: number, phase: phase, started: pass.started, duration: now - pass.started, outcome: outcome,
        runs: [] + pass.runs))
    endedRuns += pass.runs.count
    while ended.count > 1, ended.count > passLimit || endedRuns > runLimit {
      endedRuns -= ended.removeFirst().runs.count
    }
  }
}
