public import Platform

/// Calls back on a loop's thread each time that a descriptor becomes readable, or that its other end is closed.
///
/// A cheaper ``Poll``, for descriptors that are watched until they are closed.
///
/// The poll calls back once for data that has arrived. So read until no data is left, or continue later without being called. The poll
/// keeps the descriptor open until it is deallocated.
public final class EdgePoll {
  /// The descriptor that is watched.
  ///
  /// Another edge poll can't watch it.
  public let descriptor: Descriptor
  private let loop: Loop
  private var key: UInt64?

  /// Starts watching.
  ///
  /// Throws for descriptors that can't be watched, e.g. regular files (EPERM), or when descriptors have run out.
  public init(
    loop: Loop, descriptor: Descriptor, name: String, action: @escaping () -> Void
  ) throws(SystemError) {
    loop.preconditionCurrent()
    self.descriptor = descriptor
    self.loop = loop
    key = try loop.edgePolls().add(descriptor, name: name, action: action)
  }

  deinit {
    guard let key else { return }
    if loop.isCurrent {
      loop.madeEdgePolls?.remove(key)
    } else {
      loop.perform { [loop] in loop.madeEdgePolls?.remove(key) }
    }
  }

  /// Ends the watching; the descriptor stays open.
  ///
  /// Stops watching; further calls have no effect. Deinit does the same.
  public func close() {
    loop.preconditionCurrent()
    if let key { loop.madeEdgePolls?.remove(key) }
    key = nil
  }
}
