internal import InitWords

/// Totals over all declarations, updated when one is added or removed.
struct DeclarationTally: Hashable, Sendable {
  /// How many bytes the names and dependencies have.
  private(set) var bytes = 0
  /// How many initializers belong to the active phase.
  private(set) var active = 0

  mutating func add(_ declaration: Declaration) { count(declaration, 1) }
  mutating func remove(_ declaration: Declaration) { count(declaration, -1) }

  private mutating func count(_ declaration: Declaration, _ sign: Int) {
    bytes += sign * declaration.nameBytes
    if declaration.priority == .appActive { active += sign }
  }
}
