package import InitModel
package import InitWords

/// The durations of a complete pass, from which usual durations are computed.
package struct CompletePass: Sendable {
  package let number: Int
  let phase: Phase
  let duration: Double
  /// The durations of the initializers, and their CPU time if it is known.
  let running: [(name: String, duration: Double, cpu: Double?)]

  /// - Returns: `nil` for a pass that isn't complete, of an unknown phase, or without a run: after a restart, launch may be complete at once.
  package init?(_ summary: Pass.Times) {
    guard summary.outcome == .complete, let phase = summary.phase.known else { return nil }
    number = summary.pass
    self.phase = phase
    duration = summary.duration
    running = summary.initializers.lazy.filter { $0.outcome == .complete }.map { ($0.name, $0.running, $0.cpu) }
    guard !running.isEmpty else { return nil }
  }
}

extension Usual {
  /// Computes how long a phase and its initializers usually take.
  ///
  /// The duration of a phase is the median of the passes that ran at least half as many initializers as the largest: the other passes only
  /// retried a few.
  ///
  /// `passes` are complete passes; only passes of the phase count. Returns `nil` if no pass of the phase completed.
  package init?(of phase: Phase, in passes: some Sequence<CompletePass>) {
    let passes = passes.filter { $0.phase == phase }
    guard let largest = passes.map(\.running.count).max() else { return nil }
    let whole = passes.filter { 2 * $0.running.count >= largest }
    var running: [String: [Double]] = [:]
    var cpu: [String: [Double]] = [:]
    for pass in passes {
      for each in pass.running {
        running[each.name, default: []].append(each.duration)
        if let used = each.cpu { cpu[each.name, default: []].append(used) }
      }
    }
    self.init(
      phase: phase, passes: whole.count, duration: whole.map(\.duration).median,
      initializers: running.sorted { $0.key < $1.key }.map {
        Usual.Initializer(name: $0.key, running: $0.value.median, cpu: cpu[$0.key]?.median)
      })
  }
}

extension [Double] {
  /// The middle value, or the mean of the two middle values; 0 for an empty list.
  var median: Double {
    guard !isEmpty else { return 0 }
    let sorted = self.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
