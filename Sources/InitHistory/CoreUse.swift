/// The cores that runs can use, at one moment.
package struct CoreUse: Hashable, Sendable {
  /// How many; with a quota, possibly a fraction.
  package let count: Double
  /// The CPU time that all processes have used on these cores since some earlier moment; nil if it is unknown.
  package let used: Duration?
  /// The CPU time that the supervisor's kept processes have used since some earlier moment, outside of their starts.
  package let byProcesses: Duration
  /// The CPU time that the supervisor itself has used.
  package let bySupervisor: Duration

  /// Describes a number of cores and their use.
  package init(
    count: Double, used: Duration?, byProcesses: Duration = .zero, bySupervisor: Duration = .zero
  ) {
    self.count = count
    self.used = used
    self.byProcesses = byProcesses
    self.bySupervisor = bySupervisor
  }

  /// Returns the CPU time used since an earlier reading; nil if it is unknown, or if the cores have changed.
  func used(since before: CoreUse) -> Duration? {
    guard let used, let earlier = before.used, count == before.count, used >= earlier else { return nil }
    return used - earlier
  }
}
