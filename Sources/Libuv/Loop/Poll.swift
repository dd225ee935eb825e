internal import CPlatform
internal import Glibc
public import Platform

/// Calls back on a loop's thread while a descriptor is ready.
///
/// The poll keeps the descriptor open until the poll is closed or deallocated, even if it isn't started. Only one poll of a descriptor can
/// watch at a time. The descriptor is made non-blocking.
public final class Poll {
  /// The events of a descriptor.
  public struct Events: OptionSet, Sendable {
    /// epoll's bits.
    public let rawValue: UInt32
    /// A set of epoll's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reading won't block.
    public static let readable = Events(rawValue: EPOLLIN.rawValue)
    /// The peer has closed its side, or its writing side.
    public static let disconnected = Events(rawValue: EPOLLRDHUP.rawValue)

    /// What epoll reports. It reports errors and hang-ups in any case; reading tells which.
    init(reported: UInt32) {
      let isOver = reported & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
      self = isOver ? [.readable, .disconnected] : Events(rawValue: reported)
    }
  }

  /// The descriptor that is watched.
  public let descriptor: Descriptor
  private let loop: Loop
  /// Its key in the set; 0 until it is added.
  private var key: UInt64 = 0
  private var isStarted = false
  private var isClosed = false
  private var action: ((Events) -> Void)?

  /// Creates a poll that doesn't watch yet. Throws when the descriptor can't be made non-blocking.
  public init(loop: Loop, descriptor: Descriptor, name: String = "poll") throws(SystemError) {
    loop.preconditionCurrent()
    guard !Seam.refuses(), fcntl(descriptor.number, F_SETFL, O_NONBLOCK) == 0 else { throw .last("fcntl", name) }
    self.descriptor = descriptor
    self.loop = loop
    key = loop.polls.add(self, name: name)
  }

  deinit {
    guard !isClosed else { return }
    if loop.isCurrent {
      loop.polls.remove(key, isStarted: isStarted)
    } else {
      loop.perform { [loop, key, isStarted] in loop.polls.remove(key, isStarted: isStarted) }
    }
  }

  /// Calls `action` in every turn in which one of `events` holds, until ``stop()``. A second start replaces the first. After ``close()`` it
  /// does nothing. Throws when the system refuses, and for descriptors that can't be watched, e.g. regular files (EPERM).
  public func start(_ events: Events, then action: @escaping (Events) -> Void) throws(SystemError) {
    loop.preconditionCurrent()
    guard !isClosed else { return }
    try loop.polls.start(key, descriptor, events.rawValue, isStarted: isStarted)
    isStarted = true
    self.action = action
  }

  /// Stops watching; ``start(_:then:)`` resumes.
  public func stop() {
    loop.preconditionCurrent()
    action = nil
    guard isStarted else { return }
    isStarted = false
    loop.polls.stop(descriptor)
  }

  /// Ends the watching; the poll can't be started again. Further calls have no effect. Deinit does the same.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    remove()
  }

  /// The same, but the system calls that remove and close the descriptor follow before the loop polls next: the work that is queued until
  /// then, e.g. the start of the next child, doesn't wait for them.
  public func closeLater() {
    loop.preconditionCurrent()
    guard !isClosed else { return }
    isClosed = true
    action = nil
    loop.polls.removeLater(self)
  }

  /// Removes it from the set.
  func remove() {
    stop()
    loop.polls.remove(key, isStarted: false)
  }

  /// The descriptor is ready.
  func tell(_ events: Events) { action?(events) }
}
