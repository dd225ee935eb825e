internal import AppInitializers
package import InitCore
internal import InitHistory
package import InitModel
internal import InitText
internal import InitTimeline
package import InitWire
package import InitWords
internal import Platform

/// Records the passes and answers `history` (protocol §4).
package final class PassBook {
  /// The current Status.
  package var status: () -> Status? = { nil }
  /// The CPU time that kept processes have used outside of their starts.
  package var usedByProcesses: (() -> Duration)?

  private let context: RecordsContext
  /// The trace contexts of the runs.
  package let traces: RunTraces
  private let journal: PassJournal
  private let log: SupervisorLog
  private let inFlightRecord: PassesInFlight
  private var history = History()
  /// Summaries of the history's ended passes, each made when it is first needed.
  private var summarized = PassSummaries()
  /// How long the phases usually take, if a client has asked since the last pass ended.
  private var usual: [Usual]?
  /// The pauses of the initializers that wait in a loop until something holds, in seconds.
  var polls: [String: Double] = [:]
  /// The last reading of the cores, and when it was made.
  private var lastReading: (use: CoreUse, moment: Instant)?

  /// The step in which the kernel counts how long the cores were busy.
  private static let tick = Duration.milliseconds(10)

  init(_ context: RecordsContext, journal: PassJournal, log: SupervisorLog, parent: TraceContext?) {
    self.context = context
    self.journal = journal
    self.log = log
    traces = RunTraces(parent: parent)
    inFlightRecord = PassesInFlight(context)
    inFlightRecord.write = { [unowned self] in
      if let detail = detailInFlight() { journal.record(inFlight: detail) }
    }
  }

  /// Records a notice of the machine.
  ///
  /// - Returns: the pass that has ended, if one has.
  func record(_ notice: Notice, at now: Instant) -> History.PassRecord? {
    guard let pass = history.record(notice, at: now, cores: cores(at: now)) else {
      if journal.isKept, history.isInFlight { inFlightRecord.changed() }
      return nil
    }
    keep(pass)
    return pass
  }

  /// Returns a reading of the cores that is younger than one tick.
  ///
  /// A reading opens three or more files, which takes as long as a short pass. Within a tick the kernel counts nothing new.
  private func cores(at now: Instant) -> CoreUse? {
    if let last = lastReading, now - last.moment < Self.tick {
      return CoreUse(
        count: last.use.count, used: last.use.used, byProcesses: last.use.byProcesses, bySupervisor: Cores.usedByThread)
    }
    let use = CoreUse(Cores.read(), byProcesses: usedByProcesses?() ?? .zero)
    lastReading = use.map { (use: $0, moment: now) }
    return use
  }

  /// Records the CPU time of a run that is about to end.
  package func record(cpu: Duration, ofRun run: RunID) { history.record(cpu: cpu, ofRun: run) }

  private func keep(_ pass: History.PassRecord) {
    usual = nil
    guard journal.isKept, let status = status() else { return }
    let shape = shape(pass, running: [])
    // A pass can fail without a start; only a Status shows which initializer failed it.
    let hasStarted = shape.error.map { error in shape.runs.contains { $0.initializer == error.initializer } } ?? true
    var summary = Pass.Times(Timeline(shape, now: context.time, status: hasStarted ? nil : status))
    summary.instance = context.instance
    journal.add(summary, detail([shape], status), inFlight: detailInFlight(status))
  }

  /// Returns the detail that explains the passes in flight; nil if no pass is in flight.
  ///
  /// `now` is the current Status, if it is known.
  private func detailInFlight(_ now: Status? = nil) -> PassDetail? {
    let passes = history.passesInFlight()
    guard !passes.isEmpty, let status = now ?? status() else { return nil }
    return detail(passes.map { shape($0, running: running(in: $0)) }, status)
  }

  /// How many runs' output explains a pass.
  private static let runsWithOutput = 10

  private func detail(_ passes: [Pass], _ status: Status) -> PassDetail {
    // The newest failed runs, and those in flight.
    let runs = passes.flatMap(\.runs).filter { $0.outcome == nil || $0.outcome?.known == .failed }
    let output = runs.suffix(Self.runsWithOutput).flatMap(log.lastLines)
    return PassDetail(passes: passes, status: status, output: output)
  }

  /// Logs why the app isn't started: initialization failed.
  package func explainRefusal(_ failure: Failure) {
    if let status = status() { log.explainRefusal(failure, status, usual: usualShapes()) }
  }

  /// Stops recording.
  func close() { inFlightRecord.close() }

  /// Returns how long the phases and their initializers usually take.
  package func usualShapes() -> [Usual] {
    if let usual { return usual }
    let summaries = journal.isKept ? journal.summaries : history.passes(last: .max).map(summary)
    let passes = summaries.compactMap(CompletePass.init)
    let shapes = Phase.allCases.compactMap { Usual(of: $0, in: passes) }
    usual = shapes
    return shapes
  }

  package var inFlight: [Status.PassInFlight] {
    history.openings.map { pass, phase, opened in
      Status.PassInFlight(pass: pass.rawValue, phase: phase, opened: opened.map(context.clock.seconds))
    }
  }

  /// Returns the newest of these passes that fit into a page, the oldest first, and the position of the next page.
  ///
  /// The oldest pass may have only its last runs.
  package func passes(_ wanted: PassSelection) -> ([Pass], HistoryPosition?) {
    page(of: entries(wanted, areTimes: false), wanted.before) { entry, room, end in
      guard case .recorded(var pass) = entry else { preconditionFailure("only times are kept") }
      let ended = pass.runs.count
      let runs = pass.runs + running(in: pass)
      let fit = runs[..<min(end, runs.count)].suffix(fitting: &room) { $0.approximateBytes }
      pass.runs = Array(fit.prefix(max(0, ended - fit.startIndex)))
      return (shape(pass, running: Array(fit.dropFirst(pass.runs.count))), rest: fit.startIndex)
    }
  }

  /// Returns the times of the newest of these passes that fit into a page, the oldest first, and the position of the next page.
  ///
  /// The passes of earlier supervisors are among them. The oldest pass may have only its last initializers.
  package func times(_ wanted: PassSelection) -> ([Pass.Times], HistoryPosition?) {
    page(of: entries(wanted, areTimes: true), wanted.before) { entry, room, end in
      var times = summary(entry)
      let fit = times.initializers[..<min(end, times.initializers.count)].suffix(fitting: &room) { $0.approximateBytes }
      times.initializers = Array(fit)
      return (times, rest: fit.startIndex)
    }
  }

  /// Returns the newest passes that fit into a page, the oldest first, and the position of the next page.
  ///
  /// `shape` returns the pass with the last of its first `end` elements that fit into the room, and the number of elements before those.
  private func page<Pass>(
    of entries: [HistoryEntry], _ before: HistoryPosition?,
    shape: (HistoryEntry, inout Int, _ end: Int) -> (Pass, rest: Int)
  ) -> ([Pass], HistoryPosition?) {
    var room = Page.bytes
    var passes: [Pass] = []
    for (index, entry) in entries.enumerated().reversed() {
      let end = index == entries.count - 1 ? before?.count ?? .max : .max
      let position = { count in
        HistoryPosition(
          pass: entry.number, instance: entry.instance, count: count,
          limit: entries[...index].count { !$0.isInFlight })
      }
      room -= Page.bytesOfPass
      guard room >= 0 else { return (passes.reversed(), position(end)) }
      let (pass, rest) = shape(entry, &room, end)
      passes.append(pass)
      guard rest == 0 else { return (passes.reversed(), position(rest)) }
    }
    return (passes.reversed(), nil)
  }

  /// Returns these passes, from the position of the page back, the oldest first.
  private func entries(_ wanted: PassSelection, areTimes: Bool) -> [HistoryEntry] {
    let isKept = areTimes && journal.isKept
    let kept = isKept ? journal.summaries.map { HistoryEntry.kept($0, isOwn: $0.instance == context.instance) } : []
    let isOpen = wanted.inFlight || wanted.pass != nil
    let recorded = (isKept ? [] : history.passes(last: .max)) + (isOpen ? history.passesInFlight() : [])
    var all = kept + recorded.map(HistoryEntry.recorded)
    if let phase = wanted.phase { all.removeAll { $0.phase != phase } }
    if let number = wanted.pass { all.removeAll { $0.number != number || $0.instance != nil } }
    if let before = wanted.before {
      let index = all.lastIndex { $0.number == before.pass && $0.instance == before.instance }
      all.removeSubrange((index.map { $0 + 1 } ?? 0)...)
    }
    let open = all.count(where: \.isInFlight)
    // A client may give any limit: its sum with another number may overflow.
    let limit = wanted.pass == nil ? wanted.before?.limit ?? wanted.limit : .max
    return all.suffix(min(limit, all.count - open) + open)
  }

  private func summary(_ entry: HistoryEntry) -> Pass.Times {
    switch entry {
    case .kept(var summary, let isOwn):
      if isOwn { summary.instance = nil }
      return summary
    case .recorded(let pass): return summary(pass)
    }
  }

  private func summary(_ pass: History.PassRecord) -> Pass.Times {
    let make = { Pass.Times(Timeline(self.shape(pass, running: self.running(in: pass)), now: self.context.time)) }
    return pass.ended == nil ? make() : summarized.summary(ofPass: pass.id, make)
  }

  /// Returns the runs of a pass that haven't ended.
  private func running(in pass: History.PassRecord) -> [RunRecord] {
    let now = context.manager.now
    return pass.ended == nil ? context.manager.read { $0.runsInFlight(ofPass: pass.id, at: now) } : []
  }

  private func shape(_ pass: History.PassRecord, running: [RunRecord]) -> Pass {
    var shape = Pass(
      pass, running: running, concurrency: context.settings.concurrency, polls: polls, clock: context.clock)
    shape.groups = .all(context.manager.read { $0.placesOfGroups })
    shape.traceparent = traces.parent(of: pass.phase)?.description
    for index in shape.runs.indices {
      let run = RunID(shape.runs[index].run)
      shape.runs[index].traceparent = traces.context(ofRun: run, in: pass.id, phase: pass.phase).description
    }
    return shape
  }
}

/// Which passes are wanted.
package struct PassSelection {
  var pass: Int?
  var phase: Phase?
  var inFlight: Bool
  var before: HistoryPosition?
  var limit: Int

  /// Selects the last `limit` passes before a position, of one phase or of both, or only the one with this number.
  package init(pass: Int?, phase: Phase?, inFlight: Bool, before: HistoryPosition?, limit: Int) {
    self.pass = pass
    self.phase = phase
    self.inFlight = inFlight
    self.before = before
    self.limit = limit
  }
}

/// A pass in the history.
private enum HistoryEntry {
  /// A pass in the state directory, of this supervisor or of an earlier one.
  case kept(Pass.Times, isOwn: Bool)
  /// A pass of this supervisor.
  case recorded(History.PassRecord)

  var number: Int {
    switch self {
    case .kept(let summary, _): summary.pass
    case .recorded(let pass): pass.id.rawValue
    }
  }
  /// The instance of an earlier supervisor that executed it.
  var instance: String? {
    if case .kept(let summary, isOwn: false) = self { summary.instance } else { nil }
  }
  var phase: Phase? {
    switch self {
    case .kept(let summary, _): summary.phase.known
    case .recorded(let pass): pass.phase
    }
  }
  var isInFlight: Bool { if case .recorded(let pass) = self { pass.ended == nil } else { false } }
}

/// Summaries of ended passes, by their numbers, within a bound.
private struct PassSummaries {
  /// The maximum number of initializers of all kept passes together.
  private static let limit = 50_000

  private var summaries: [PassID: Pass.Times] = [:]
  private var count = 0

  /// Returns the summary of a pass, and makes it if it isn't kept.
  mutating func summary(ofPass pass: PassID, _ make: () -> Pass.Times) -> Pass.Times {
    if let kept = summaries[pass] { return kept }
    let summary = make()
    if count + summary.initializers.count > Self.limit {
      summaries = [:]
      count = 0
    }
    summaries[pass] = summary
    count += summary.initializers.count
    return summary
  }
}

extension ArraySlice {
  /// Returns the last elements that fit into the room, and subtracts their sizes from the room.
  ///
  /// The first element of a page always fits, so each page has at least one.
  fileprivate func suffix(fitting room: inout Int, _ size: (Element) -> Int) -> ArraySlice {
    var start = endIndex
    while start > startIndex {
      let bytes = size(self[start - 1])
      guard bytes <= room || room == Page.bytes - Page.bytesOfPass else { break }
      room -= bytes
      start -= 1
    }
    return self[start...]
  }
}

extension CoreUse {
  /// Converts a reading of the cores; nil without one.
  fileprivate init?(_ cores: Cores?, byProcesses: Duration) {
    guard let cores else { return nil }
    self.init(
      count: cores.count, used: cores.used, byProcesses: byProcesses, bySupervisor: Cores.usedByThread)
  }
}

extension RunRecord {
  /// The approximate number of bytes that the pass takes in a message.
  fileprivate var approximateBytes: Int {
    var bytes = waitedFor.reduce(480 + 2 * initializer.utf8.count) { $0 + $1.utf8.count + 3 }
    if case .failed(let cause) = outcome { bytes += cause.description.bytesInJSON }
    return bytes
  }
}

extension Pass.InitializerTimes {
  /// The approximate number of bytes that the run takes in a message.
  fileprivate var approximateBytes: Int { 240 + name.utf8.count }
}
