internal import AppInitializers
internal import InitCore
internal import InitTimeline
internal import InitWire

/// Records the passes and answers `history` (protocol §4).
final class PassBook: Part {
  /// The approximate size in bytes of the runs in an answer, so that it fits into a frame.
  private static let answerBytes = 12 << 20

  let core: Core
  private var history = History()

  init(_ core: Core) { self.core = core }

  /// A notice of the machine.
  func note(_ notice: Notice, at now: Instant) { history.note(notice, at: now) }

  /// The answer to `history`.
  func result(of params: HistoryParams) -> HistoryResult {
    let summaries = params.summaries ? chosen(summaries(isInFlight: true), params, \.pass, \.phase) : nil
    let usual = params.usual ? Phase.allCases.compactMap { UsualShape(of: $0, in: self.summaries()) } : nil
    let passes = params.summaries ? [] : chosen(history.passes(last: .max).map(shape), params, \.pass, \.phase)
    let open = history.passesInFlight(of: params.phase).filter {
      params.pass == nil ? params.inFlight : $0.number == params.pass
    }
    return HistoryResult(
      passes: fitting(passes + (params.summaries ? [] : open.map(shape))), summaries: summaries, usual: usual)
  }

  /// The last passes that a request asks for.
  private func chosen<Pass>(
    _ passes: [Pass], _ params: HistoryParams, _ number: KeyPath<Pass, Int>, _ phase: KeyPath<Pass, Word<Phase>>
  ) -> [Pass] {
    if let wanted = params.pass { return passes.filter { $0[keyPath: number] == wanted } }
    return passes.filter { pass in params.phase.map { pass[keyPath: phase] == $0 } ?? true }.suffix(params.limit)
  }

  /// Summaries of the ended passes, and of those in flight.
  private func summaries(isInFlight: Bool = false) -> [PassSummaryShape] {
    let passes = history.passes(last: .max) + (isInFlight ? history.passesInFlight() : [])
    return passes.map { PassSummaryShape(Timeline(shape($0), now: core.time)) }
  }

  private func shape(_ pass: History.PassRecord) -> PassShape {
    let now = core.manager.now
    let running = pass.ended == nil ? core.read { $0.runsInFlight(ofPass: pass.number, at: now) } : []
    return PassShape(
      pass, running: running, concurrency: configuration.machine.concurrency, clock: core.clock)
  }

  /// The newest passes that fit into an answer. If the newest doesn't fit, its oldest runs are left out.
  private func fitting(_ passes: [PassShape]) -> [PassShape] {
    var room = Self.answerBytes
    var fitting: [PassShape] = []
    for var pass in passes.reversed() {
      let runs = pass.runs.reversed().prefix { run in
        room -= run.approximateBytes
        return room >= 0
      }
      guard runs.count == pass.runs.count || fitting.isEmpty else { break }
      pass.runs = runs.reversed()
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
