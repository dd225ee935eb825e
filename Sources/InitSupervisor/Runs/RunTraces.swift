internal import InitCore
internal import InitWire
internal import InitWords

/// The trace contexts of a supervisor's runs: a pass is a trace, and a run is a span of it.
///
/// The launch pass belongs to the trace of the supervisor's own environment, if there is one.
struct RunTraces: Sendable {
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

  ///
  /// `environment` is the supervisor's.
  init(_ seed: Seed = .random(), environment: [String: String]) {
    self.seed = seed
    parent = environment[TraceContext.variable].flatMap { TraceContext($0) }
  }

  /// Returns the span of a run.
  func context(of start: RunStart) -> TraceContext {
    let span = hash(seed.high ^ SplitMix64.mix(seed.low), start.run.rawValue)
    if start.phase == .launch, let parent {
      return TraceContext(trace: parent.trace, span: span, isSampled: parent.isSampled)
    }
    let trace = TraceContext.TraceID(
      high: hash(seed.high, start.pass.rawValue), low: hash(seed.low, start.pass.rawValue))
    return TraceContext(trace: trace, span: span)
  }

  /// Hashes a number.
  ///
  /// With the same seed, different numbers have different hashes.
  private func hash(_ seed: UInt64, _ number: Int) -> UInt64 {
    SplitMix64.mix(seed ^ SplitMix64.mix(UInt64(truncatingIfNeeded: number)))
  }
}
