public import AppInitializers
internal import Glibc

/// Lifecycle events from a pair of signals, for programs in a terminal and for whoever can do no more than `kill`.
///
/// ```swift
/// let manager = InitManager([SessionInitializer()], lifecycle: try SignalLifecycle(activate: SIGUSR1, deactivate: SIGUSR2))
/// ```
///
/// It watches from the moment it is made; signals of one kind that come faster than they are taken may become one, as the kernel does it. It is for
/// one manager: iterate it once. When it is dropped, or its task is cancelled, the signals have their former meaning again.
public struct SignalLifecycle: AsyncSequence, Sendable {
  private let events: AsyncStream<Int32>
  private let activate: Int32
  private let stops: Bool

  /// Watches two signals.
  ///
  /// - Throws: ``SignalLifecycleError`` for a signal that can't be watched, is watched already, or is given twice.
  public init(activate: Int32, deactivate: Int32) throws(SignalLifecycleError) {
    try self.init(activate: activate, deactivate: deactivate, stops: false)
  }

  /// The terminal's job control: SIGTSTP deactivates, and stops the process as it would have when that has been taken; SIGCONT activates.
  ///
  /// Where SIGTSTP wouldn't have stopped it, as nobody is there to have it go on (an orphaned process group: a session of its own, a container's
  /// first process), it means nothing.
  ///
  /// - Throws: ``SignalLifecycleError`` where somebody watches one of them already.
  public static func jobControl() throws(SignalLifecycleError) -> SignalLifecycle {
    try SignalLifecycle(activate: SIGCONT, deactivate: SIGTSTP, stops: true)
  }

  private init(activate: Int32, deactivate: Int32, stops: Bool) throws(SignalLifecycleError) {
    guard activate != deactivate else { throw SignalLifecycleError(signal: activate, reason: .twice) }
    self.activate = activate
    self.stops = stops
    events = try SignalWatch.watch([activate, deactivate])
  }

  /// An iterator over the events.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: events.makeAsyncIterator(), activate: activate, stops: stops)
  }

  /// One way through the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<Int32>.Iterator
    let activate: Int32
    let stops: Bool
    var isToStop = false

    /// The next event; `nil` when the task was cancelled. That it is asked for says that the one before has been taken.
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
  /// What is wrong with the signal.
  public enum Reason: Hashable, Sendable {
    /// The system lets nobody catch it, or there is no such signal.
    case uncatchable
    /// Another source watches it.
    case watched
    /// Both events were to be the same signal.
    case twice
  }

  /// The signal's number.
  public let signal: Int32
  /// What is wrong with it.
  public let reason: Reason

  /// What is wrong, and what to do.
  public var description: String {
    switch reason {
    case .uncatchable: "cannot watch signal \(signal): it can't be caught; SIGUSR1 and SIGUSR2 can"
    case .watched: "cannot watch signal \(signal): another source does; share that one, or end it first"
    case .twice: "cannot watch signal \(signal) for both events: give each its own"
    }
  }
}
