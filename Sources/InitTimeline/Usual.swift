public import InitWire

extension UsualShape {
  /// How long a phase and its initializers usually take.
  ///
  /// - Parameter summaries: summaries of passes; only complete ones of the phase count.
  /// - Returns: `nil` if no pass of the phase completed.
  public init?(of phase: Phase, in summaries: some Sequence<PassSummaryShape>) {
    let passes = summaries.filter { $0.phase == phase && $0.outcome == .complete }
    guard !passes.isEmpty else { return nil }
    var running: [String: [Double]] = [:]
    for initializer in passes.lazy.flatMap(\.initializers) where initializer.outcome == .complete {
      running[initializer.name, default: []].append(initializer.running)
    }
    self.init(
      phase: phase, passes: passes.count, duration: passes.map(\.duration).median,
      initializers: running.sorted { $0.key < $1.key }.map {
        UsualInitializerShape(name: $0.key, running: $0.value.median)
      })
  }
}

extension [Double] {
  /// The middle value, or the mean of the two middle values; 0 for none.
  var median: Double {
    guard !isEmpty else { return 0 }
    let sorted = self.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
