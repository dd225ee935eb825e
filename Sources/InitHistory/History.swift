internal import DequeModule
package import InitCore
package import InitWords

/// The passes and their runs, with their timing.
///
/// The history records a machine's notices. It keeps the last passes that ended, and the newest runs of each.
package struct History: Sendable {
  /// A pass.
  package struct PassRecord: Hashable, Sendable {
    package var id: PassID
    package var phase: Phase
    /// The time at which the pass started.
    package var started: Instant
    /// The time at which the pass could begin its runs; `nil` if it couldn't begin them so far.
    package var opened: Instant?
    /// The time at which the pass ended; `nil` while it is in flight.
    package var ended: Instant?
    /// The outcome of the pass: complete, failed or cancelled; `started` while it is in flight.
    package var outcome = PassStatus.started
    /// The cores that the runs of the pass could use, at its opening.
    package var cores: CoreUse?
    /// The CPU time used on these cores by all processes from the pass's opening to its end, if it is known.
    package var busy: Duration?
    /// The CPU time that kept processes used from the pass's opening to its end, outside of their starts, if it is known.
    package var processes: Duration?
    /// The CPU time that the supervisor itself used for the pass from its opening to its end, if it is known.
    package var supervisor: Duration?
    /// The ended runs, in the order in which they ended.
    package var runs: [RunRecord] = []
    /// The CPU time of the ended runs, by their numbers, if it is known.
    package var cpu: [RunID: Duration] = [:]
  }

  private struct Open: Sendable {
    var pass: PassRecord
    var runs: Deque<RunRecord> = []
  }

  /// How many ended passes are kept.
  package let passLimit: Int
  /// How many runs of a pass are kept.
  package let runLimit: Int
  private var ended: Deque<PassRecord> = []
  /// The passes in flight, in the order of their numbers: few.
  private var open: [Open] = []
  /// The CPU time of runs that haven't ended for the machine.
  private var cpu: [RunID: Duration] = [:]

  /// Creates an empty history with these bounds.
  package init(passLimit: Int = Machine.rememberedPasses, runLimit: Int = 20_000) {
    self.passLimit = passLimit
    self.runLimit = runLimit
  }

  /// Records a notice of the machine at `now`.
  ///
  /// `cores` returns the cores that runs can use; it is called when a pass opens and when it ends. Returns the pass that has ended, if one
  /// has.
  @discardableResult
  package mutating func record(
    _ notice: Notice, at now: Instant, cores: @autoclosure () -> CoreUse? = nil
  ) -> PassRecord? {
    switch notice {
    case .pass(let id, let phase, .started):
      if let index = index(of: id) { open.remove(at: index) }
      let place = open.firstIndex { $0.pass.id > id } ?? open.endIndex
      open.insert(Open(pass: PassRecord(id: id, phase: phase, started: now)), at: place)
    case .passOpened(let id):
      if let index = index(of: id), open[index].pass.opened == nil {
        open[index].pass.opened = now
        open[index].pass.cores = cores()
      }
    case .pass(let id, _, let outcome): return close(id, outcome, at: now, cores)
    case .runEnded(let run):
      let used = cpu.isEmpty ? nil : cpu.removeValue(forKey: run.run)
      guard let index = index(of: run.pass) else { break }
      open[index].runs.append(run)
      if let used { open[index].pass.cpu[run.run] = used }
      if open[index].runs.count > runLimit, let oldest = open[index].runs.popFirst() {
        open[index].pass.cpu[oldest.run] = nil
      }
    case .state, .initializer, .initializerRemoved, .passAbandoned: break
    }
    return nil
  }

  /// Records the CPU time of a run that is about to end.
  package mutating func record(cpu used: Duration, ofRun run: RunID) {
    // A process that runs outside of a pass, e.g. a stop command, isn't recorded.
    if !open.isEmpty { cpu[run] = used }
  }

  /// Returns the last `limit` passes that have ended, the newest last, of one phase or of both.
  package func passes(last limit: Int, of phase: Phase? = nil) -> [PassRecord] {
    guard let phase else { return Array(ended.suffix(max(0, limit))) }
    return ended.filter { $0.phase == phase }.suffix(max(0, limit))
  }

  /// Returns the passes in flight, in the order of their numbers, of one phase or of both.
  package func passesInFlight(of phase: Phase? = nil) -> [PassRecord] {
    open.filter { phase == nil || $0.pass.phase == phase }.map(whole)
  }

  /// The passes in flight, in the order of their numbers, and when they could begin their runs.
  package var openings: [(pass: PassID, phase: Phase, opened: Instant?)] {
    open.map { ($0.pass.id, $0.pass.phase, $0.pass.opened) }
  }

  /// Whether a pass is in flight.
  package var isInFlight: Bool { !open.isEmpty }

  private func index(of pass: PassID) -> Int? { open.firstIndex { $0.pass.id == pass } }

  private func whole(_ open: Open) -> PassRecord {
    var pass = open.pass
    // Not `Array(runs)`: with an empty deque it writes to the empty array that all threads share.
    pass.runs = [] + open.runs
    return pass
  }

  private mutating func close(
    _ id: PassID, _ outcome: PassStatus, at now: Instant, _ cores: () -> CoreUse?
  ) -> PassRecord? {
    guard let index = index(of: id) else { return nil }
    var pass = whole(open.remove(at: index))
    pass.ended = now
    pass.outcome = outcome
    if let before = pass.cores, !pass.runs.isEmpty, let after = cores() {
      pass.busy = after.used(since: before)
      pass.processes = after.byProcesses - before.byProcesses
      pass.supervisor = after.bySupervisor - before.bySupervisor
    }
    if open.isEmpty { cpu = [:] }
    ended.append(pass)
    if ended.count > passLimit { ended.removeFirst() }
    return pass
  }
}
