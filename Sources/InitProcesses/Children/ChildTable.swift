public import EventLoop
internal import Platform

/// The children of a loop, and their common state.
///
/// What starts children has one table, and hands it to all that start them.
public final class ChildTable {
  /// The loop that reports the exits of the children.
  public let loop: Loop
  /// The children that a ``ChildProcess`` will reap, and the guard.
  ///
  /// Not a set of `Int32`: the runtime would look up a further conformance at each start (see `Box`).
  private var pids: Set<Int> = []
  /// Groups of former children that were killed while they still had processes, which may take a moment to end.
  var killedGroups: Set<Int32> = []
  /// The input of children without input: one for all, created at first use.
  var noInput: Descriptor?
  /// Keeps the guard, which kills grandchildren if this process is killed.
  var guardKeeper: GuardKeeper?
  /// Whether this process adopts its orphaned descendants.
  var adoptsOrphans = false
  /// Called when a child has been reaped.
  var onReaped: (() -> Void)?

  /// Returns whether a ``ChildProcess`` will reap this child, or it is the guard.
  func isOwn(_ pid: Int32) -> Bool { pids.contains(Int(pid)) }

  /// Adds a child that isn't an orphan.
  func add(_ pid: Int32) { pids.insert(Int(pid)) }

  /// Removes a child that has been reaped.
  func remove(_ pid: Int32) { pids.remove(Int(pid)) }

  /// Creates a table without children.
  public init(loop: Loop) { self.loop = loop }
}
