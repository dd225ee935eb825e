package import InitCore
package import InitWire
internal import InitWords

/// The trace contexts of a supervisor's runs: a pass is a trace, and a run is a span of it.
///
/// The launch pass belongs to the trace of the supervisor's own environment, if there is one.
package struct RunTraces: Sendable {
  /// Random bits, drawn once: two supervisors have different traces.
  struct Seed: Sendable {
    let high: UInt64
    let low: UInt64

    static func random() -> Seed {
      Seed(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }
  }

  private let seed: Seed
  /// The trace that the supervisor itself belongs to.
  private let parent: TraceContext?

  /// `parent` is the span of the supervisor itself, if it has one.
  init(_ seed: Seed = .random(), parent: TraceContext?) {
    self.seed = seed
    self.parent = parent
  }

  /// Returns the span of a run.
  package func context(of start: RunStart) -> TraceContext {
    context(ofRun: start.run, in: start.pass, phase: start.phase)
  }

  /// Returns the span of a run in a pass of a phase.
  func context(ofRun run: RunID, in pass: PassID, phase: Phase) -> TraceContext {
    let span = hash(seed.high ^ SplitMix64.mix(seed.low), run.rawValue)
    if let parent = parent(of: phase) {
      return TraceContext(trace: parent.trace, span: span, isSampled: parent.isSampled)
    }
    let trace = TraceContext.TraceID(high: hash(seed.high, pass.rawValue), low: hash(seed.low, pass.rawValue))
    return TraceContext(trace: trace, span: span)
  }

  /// Returns the span of a program that isn't a run, by its number, in the trace of a launch pass.
  package func context(ofProgram number: Int, in pass: PassID) -> TraceContext {
    context(ofRun: RunID(-1 - number), in: pass, phase: .launch)
  }

  /// Returns the span of the supervisor's environment, if the passes of a phase belong to its trace.
  func parent(of phase: Phase) -> TraceContext? { phase == .launch ? parent : nil }

  /// Hashes a number.
  ///
  /// Returns a hash: with the same seed, different numbers have different hashes.
  private func hash(_ seed: UInt64, _ number: Int) -> UInt64 {
    SplitMix64.mix(seed ^ SplitMix64.mix(UInt64(truncatingIfNeeded: number)))
  }
}
