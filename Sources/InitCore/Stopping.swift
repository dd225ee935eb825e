/// The stops at the end, one after the other in the reverse order of completion, and how long each may take (S24): a value.
public struct Stopping: Hashable, Sendable {
  /// What is done about a stop that takes too long.
  public enum Hurry: Hashable, Sendable {
    /// It is told to end.
    case cancel
    /// It is given up, and isn't in the way of the next.
    case giveUp
  }

  /// Those whose turn has yet to come, the last first.
  public var left: [String] { names.reversed() }
  /// The one whose turn it is.
  public private(set) var name: String?
  /// When that one takes too long.
  public private(set) var deadline: Instant?
  /// There is none left.
  public private(set) var isOver = false

  private var names: [String]
  private let timeout: Duration
  private let grace: Duration
  private var isCancelled = false

  /// - Parameters:
  ///   - names: what has completed, the first first.
  ///   - timeout: how long a stop may take before it is told to end.
  ///   - grace: how much longer before it is given up.
  public init(_ names: [String], timeout: Duration, grace: Duration) {
    (self.names, self.timeout, self.grace) = (names, timeout, grace)
  }

  /// The next one's turn; nil if there is none left.
  public mutating func next(at now: Instant) -> String? {
    name = names.popLast()
    (isOver, isCancelled, deadline) = (name == nil, false, name.map { _ in now + timeout })
    return name
  }

  /// The one whose turn it is has stopped.
  public mutating func end() { (name, deadline) = (nil, nil) }

  /// Its deadline has come.
  public mutating func hurry(at now: Instant) -> Hurry {
    guard isCancelled else {
      (isCancelled, deadline) = (true, now + grace)
      return .cancel
    }
    end()
    return .giveUp
  }
}
