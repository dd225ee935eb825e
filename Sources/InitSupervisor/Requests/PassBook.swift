internal import AppInitializers
internal import InitCore
internal import InitTimeline
internal import InitWire

/// Records the passes and answers `history` (protocol §4).
final class PassBook: Part {
  /// The approximate size in bytes of the runs in an answer, so that it fits into a frame.
  private static let answerBytes = 12 << 20

  /// The current Status.
  var status: (() -> StatusShape)?

  let core: Core
  private let instance: String
  private let memory: PassMemory
  private var history = History()
  /// What `usual` has needed of the history's passes so far, by their numbers; `nil` for those that aren't complete. With a state directory,
  /// the memory has it.
  private var considered: [Int: CompletePass?] = [:]
  /// How long the phases usually take, if a client has asked since the last pass ended.
  private var usual: [UsualShape]?

  init(_ core: Core, instance: String, memory: PassMemory) {
    (self.core, self.instance, self.memory) = (core, instance, memory)
  }

  /// A notice of the machine.
  ///
  /// - Returns: the pass that has ended, if one has.
  func note(_ notice: Notice, at now: Instant) -> History.PassRecord? {
    guard let pass = history.note(notice, at: now) else { return nil }
    keep(pass)
    return pass
  }

  private func keep(_ pass: History.PassRecord) {
    usual = nil
    guard memory.isKept else { return }
    let shape = shape(pass)
    // What failed a pass without a start is known only from a Status.
    let hasStarted = shape.error.map { error in shape.runs.contains { $0.initializer == error.initializer } } ?? true
    var summary = PassSummaryShape(Timeline(shape, now: core.time, status: hasStarted ? nil : status?()))
    summary.instance = instance
    memory.add(summary)
  }

  /// The complete passes of the history. Each is computed when it is first needed.
  private func completePasses() -> [CompletePass] {
    let before = considered
    considered = [:]
    for pass in history.passes(last: .max) {
      considered[pass.number] =
        before[pass.number] ?? CompletePass(PassSummaryShape(Timeline(shape(pass), now: core.time)))
    }
    return considered.values.compactMap { $0 }
  }

  /// How long the phases and their initializers usually take.
  private func usualShapes() -> [UsualShape] {
    if let usual { return usual }
    let passes = memory.isKept ? memory.summaries.compactMap(CompletePass.init) : completePasses()
    let shapes = Phase.allCases.compactMap { UsualShape(of: $0, in: passes) }
    usual = shapes
    return shapes
  }

  /// The passes in flight.
  var inFlight: [PassInFlightShape] {
    history.openings.map { number, phase, opened in
      PassInFlightShape(pass: number, phase: phase, opened: opened.map(core.clock.seconds))
    }
  }

  /// The answer to `history`.
  func result(of params: HistoryParams) -> HistoryResult {
    let isOpen = params.inFlight || params.pass != nil
    let usual = params.usual ? usualShapes() : nil
    if params.summaries {
      let chosen = chosen(summaries(isInFlight: isOpen), params)
      return HistoryResult(
        passes: [], summaries: fitting(chosen, \.initializers, \.approximateBytes), usual: usual)
    }
    var passes = history.passes(last: params.pass == nil ? params.limit : .max, of: params.phase)
    if isOpen { passes += history.passesInFlight(of: params.phase) }
    if let number = params.pass { passes.removeAll { $0.number != number } }
    return HistoryResult(passes: fitting(passes.map(shape), \.runs, \.approximateBytes), usual: usual)
  }

  /// The summaries that a request asks for: the last ones, and those in flight.
  private func chosen(_ summaries: [PassSummaryShape], _ params: HistoryParams) -> [PassSummaryShape] {
    if let number = params.pass { return summaries.filter { $0.pass == number && $0.instance == nil } }
    let ofPhase = params.phase.map { phase in summaries.filter { $0.phase == phase } } ?? summaries
    let open = ofPhase.count { $0.outcome == .running }
    // A client may give any limit: its sum with another number may overflow.
    return ofPhase.suffix(min(params.limit, ofPhase.count - open) + open)
  }

  /// Summaries of the ended passes, also of earlier supervisors, and of those in flight.
  private func summaries(isInFlight: Bool = false) -> [PassSummaryShape] {
    let kept = memory.summaries.map { summary in
      var summary = summary
      if summary.instance == instance { summary.instance = nil }
      return summary
    }
    let passes = (memory.isKept ? [] : history.passes(last: .max)) + (isInFlight ? history.passesInFlight() : [])
    return kept + passes.map { PassSummaryShape(Timeline(shape($0), now: core.time)) }
  }

  private func shape(_ pass: History.PassRecord) -> PassShape {
    let now = core.manager.now
    let running = pass.ended == nil ? core.read { $0.runsInFlight(ofPass: pass.number, at: now) } : []
    return PassShape(
      pass, running: running, concurrency: configuration.machine.concurrency, clock: core.clock)
  }

  /// The newest passes that fit into an answer. If the newest doesn't fit, its oldest elements are left out.
  private func fitting<Pass, Element>(
    _ passes: [Pass], _ elements: WritableKeyPath<Pass, [Element]>, _ size: KeyPath<Element, Int>
  ) -> [Pass] {
    var room = Self.answerBytes
    var fitting: [Pass] = []
    for var pass in passes.reversed() {
      room -= 400
      let all = pass[keyPath: elements]
      let fit = all.reversed().prefix { element in
        room -= element[keyPath: size]
        return room >= 0
      }
      guard fit.count == all.count || fitting.isEmpty else { break }
      pass[keyPath: elements] = fit.reversed()
      fitting.append(pass)
    }
    return fitting.reversed()
  }
}

extension RunShape {
  /// About how many bytes it takes in a message.
  fileprivate var approximateBytes: Int {
    waitedFor.reduce(400 + 2 * initializer.utf8.count) { $0 + $1.utf8.count + 3 }
  }
}

extension InitializerSummaryShape {
  /// About how many bytes it takes in a message.
  fileprivate var approximateBytes: Int { 200 + name.utf8.count }
}
