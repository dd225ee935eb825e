internal import InitLocks
public import Platform

/// A loop in a thread that all users share, until the process ends.
public final class SharedLoop: Sendable {
  private let name: String
  private let made = Locked<Loop?>(nil)

  /// Names the loop, which is created at its first use.
  ///
  /// - Parameter name: the name of the thread.
  public init(name: String) { self.name = name }

  /// Returns the loop.
  ///
  /// - Throws: if threads or descriptors are exhausted. The next call tries again.
  public func get() throws(SystemError) -> Loop {
    try made.withLock { made throws(SystemError) in
      if let made { return made }
      let loop = try Loop.startedInThread(name: name)
      made = loop
      return loop
    }
  }
}
