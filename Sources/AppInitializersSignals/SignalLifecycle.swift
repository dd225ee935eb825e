public import AppInitializers
internal import Glibc

/// Lifecycle events from a pair of signals, for terminal programs, and for control with `kill`.
///
/// ```swift
/// let manager = InitManager([SessionInitializer()], lifecycle: try SignalLifecycle(activate: SIGUSR1, deactivate: SIGUSR2))
/// ```
///
/// The sequence watches the signals as soon as it is created. Several signals of one kind may be merged into one before they are read, as
/// usual in the kernel. The sequence is for one manager: iterate it once. When it is deallocated or its task is cancelled, the signals'
/// previous actions are restored.
public struct SignalLifecycle: AsyncSequence, Sendable {
  private let events: AsyncStream<Int32>
  private let activate: Int32
  private let stops: Bool

  /// Watches two signals.
  ///
  /// - Throws: ``SignalLifecycleError`` if a signal can't be watched, is already watched, or is given twice.
  public init(activate: Int32, deactivate: Int32) throws(SignalLifecycleError) {
    try self.init(activate: activate, deactivate: deactivate, stops: false)
  }

  /// Watches the terminal's job control: SIGTSTP deactivates, and stops the process when that event has been processed; SIGCONT activates.
  ///
  /// SIGTSTP is ignored if it wouldn't stop the process: in an orphaned process group, which no shell could continue (a session of its own,
  /// a container's first process).
  ///
  /// - Throws: ``SignalLifecycleError`` if one of these signals is already watched.
  public static func jobControl() throws(SignalLifecycleError) -> SignalLifecycle {
    try SignalLifecycle(activate: SIGCONT, deactivate: SIGTSTP, stops: true)
  }

  private init(activate: Int32, deactivate: Int32, stops: Bool) throws(SignalLifecycleError) {
    guard activate != deactivate else { throw SignalLifecycleError(signal: activate, reason: .twice) }
    self.activate = activate
    self.stops = stops
    events = try SignalWatch.watch([activate, deactivate])
  }

  /// Creates an iterator over the events.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: events.makeAsyncIterator(), activate: activate, stops: stops)
  }

  /// An iterator over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<Int32>.Iterator
    let activate: Int32
    let stops: Bool
    var isToStop = false

    /// Returns the next event; `nil` if the task was cancelled.
    ///
    /// The call shows that the previous event has been processed.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> LifecycleEvent? {
      if isToStop {
        isToStop = false
        JobControl.stopUnlessContinued()
      }
      while let signal = await base.next(isolation: actor) {
        if signal == activate { return .activate }
        if stops, JobControl.isOrphaned { continue }
        isToStop = stops
        return .deactivate
      }
      return nil
    }
  }
}

/// Why a signal can't be watched.
public struct SignalLifecycleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why a signal can't be used.
  public enum Reason: Hashable, Sendable {
    /// The signal can't be caught, or doesn't exist.
    case uncatchable
    /// Another source watches the signal.
    case watched
    /// Both events have the same signal.
    case twice
  }

  /// The signal's number.
  public let signal: Int32
  /// The reason.
  public let reason: Reason

  /// Says what is wrong, and what to do.
  public var description: String {
    switch reason {
    case .uncatchable: "cannot watch signal \(signal): it can't be caught; SIGUSR1 and SIGUSR2 can"
    case .watched: "cannot watch signal \(signal): another source does; share that one, or end it first"
    case .twice: "cannot watch signal \(signal) for both events: give each its own"
    }
  }
}
