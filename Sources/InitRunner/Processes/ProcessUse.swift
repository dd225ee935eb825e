/// Splits the CPU time of a kept process between the runs of its initializer, which are its starts, and the time outside of them: a value.
///
/// The process may be started several times in a run, and checked by commands; all of that counts.
struct ProcessUse: Hashable {
  /// The CPU time used outside of the runs.
  private(set) var outside = Duration.zero
  /// The CPU time of the run in flight; nil without one, and if it isn't known.
  private var run: Duration?
  /// The CPU time of the process that runs now, at the last reading.
  private var last = Duration.zero

  /// Records the CPU time that the process has used since its start, with its descendants.
  mutating func read(_ total: Duration) {
    // Descendants whose parent doesn't wait for them disappear from the total.
    add(max(.zero, total - last))
    last = max(last, total)
  }

  /// Records the CPU time of the process at its exit; nil if it isn't known.
  mutating func end(_ total: Duration?) {
    if let total { read(total) } else { run = nil }
    last = .zero
  }

  /// Adds the CPU time of a command that has checked the process.
  mutating func add(_ used: Duration) {
    if run != nil { run? += used } else { outside += used }
  }

  mutating func beginRun() { run = .zero }

  /// Ends the run, and returns its CPU time; nil if it isn't known.
  mutating func endRun() -> Duration? { run.take() }
}
