/// The stops at the end, one at a time in the reverse order of completion, and their deadlines (S24): a value.
public struct Stopping: Hashable, Sendable {
  /// The action for a stop that takes too long.
  public enum Hurry: Hashable, Sendable {
    /// Cancel it.
    case cancel
    /// Abandon the stop, so the next one can start.
    case giveUp
  }

  /// The initializers that haven't been stopped yet, in the order of completion.
  public var left: [String] { names.reversed() }
  /// The initializer that is being stopped.
  public private(set) var name: String?
  /// The deadline of the stop in progress.
  public private(set) var deadline: Instant?
  /// Whether all initializers have been stopped.
  public private(set) var isOver = false

  private var names: [String]
  private let timeout: Duration
  private let grace: Duration
  private var isCancelled = false

  /// - Parameters:
  ///   - names: the completed initializers, in the order of completion.
  ///   - timeout: the maximum time for a stop before it is cancelled.
  ///   - grace: the maximum time for a cancelled stop before it is abandoned.
  public init(_ names: [String], timeout: Duration, grace: Duration) {
    self.names = names
    self.timeout = timeout
    self.grace = grace
  }

  /// Starts the next stop, and returns its initializer; nil if none is left.
  public mutating func next(at now: Instant) -> String? {
    name = names.popLast()
    isOver = name == nil
    isCancelled = false
    deadline = name.map { _ in now + timeout }
    return name
  }

  /// Ends the stop.
  public mutating func end() {
    name = nil
    deadline = nil
  }

  /// Takes the next step after the deadline has passed: cancels the stop, or gives it up.
  public mutating func hurry(at now: Instant) -> Hurry {
    guard isCancelled else {
      isCancelled = true
      deadline = now + grace
      return .cancel
    }
    end()
    return .giveUp
  }
}
