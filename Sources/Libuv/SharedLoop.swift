public import Platform

/// A loop in a thread of its own that all who ask share, for as long as the process runs.
public final class SharedLoop: Sendable {
  private let name: String
  private let made = Monitor<Loop?>(nil)

  /// No loop yet: the first who asks makes it.
  ///
  /// - Parameter name: its thread's.
  public init(name: String) { self.name = name }

  /// The loop.
  ///
  /// - Throws: why there is no thread or descriptor for it. The next call tries again.
  public func get() throws(SystemError) -> Loop {
    try made.withLock { made throws(SystemError) in
      if let made { return made }
      let loop = try Loop.startedInThread(name: name)
      made = loop
      return loop
    }
  }
}
