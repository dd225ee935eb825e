internal import CLibuv
public import Platform

/// Calls back on a loop's thread while a descriptor is ready.
///
/// The poll keeps the descriptor open until the poll is deallocated and libuv has closed its handle, even if it isn't started. Only one poll
/// of a descriptor can watch at a time. The descriptor is made non-blocking.
public final class Poll {
  /// The events of a descriptor.
  public struct Events: OptionSet, Sendable {
    /// libuv's bits.
    public let rawValue: Int32
    /// Creates a set of libuv's bits.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Reading won't block.
    public static let readable = Events(rawValue: Int32(UV_READABLE.rawValue))
    /// Writing won't block.
    public static let writable = Events(rawValue: Int32(UV_WRITABLE.rawValue))
    /// The peer has closed its side, or its writing side.
    public static let disconnected = Events(rawValue: Int32(UV_DISCONNECT.rawValue))
  }

  /// The descriptor that is watched.
  public let descriptor: Descriptor
  private let handle: LoopHandle<uv_poll_t>
  private var action: ((Events) -> Void)?

  /// Creates a poll that doesn't watch yet.
  ///
  /// Throws for descriptors that can't be watched, e.g. regular files (EPERM).
  public init(loop: Loop, descriptor: Descriptor, name: String = "poll") throws(SystemError) {
    self.descriptor = descriptor
    handle = try LoopHandle(name, on: loop, keeping: descriptor, call: "uv_poll_init") {
      uv_poll_init($0, $1, descriptor.number)
    }
    handle.setOwner(self)
  }

  /// Calls `action` in every turn in which one of `events` holds, until ``stop()``.
  ///
  /// Starts watching; a second start replaces the first. After ``close()`` it does nothing. Throws when the system refuses.
  public func start(_ events: Events, then action: @escaping (Events) -> Void) throws(SystemError) {
    handle.loop.preconditionCurrent()
    guard let poll = handle.pointer else { return }
    let status = FaultInjection.status(
      uv_poll_start(poll, events.rawValue) { poll, status, events in
        LoopHandle.owner(of: poll, as: Poll.self)?.action?(Events(rawValue: status < 0 ? 0 : events))
      })
    guard status == 0 else { throw .uv("uv_poll_start", status) }
    self.action = action
  }

  /// Stops watching; ``start(_:then:)`` resumes.
  public func stop() {
    handle.loop.preconditionCurrent()
    action = nil
    if let poll = handle.pointer { uv_poll_stop(poll) }
  }

  /// Sets whether the poll keeps a loop running after the loop's own handles have been closed.
  func setKeepsLoopRunning(_ keeps: Bool) {
    guard let poll = handle.pointer else { return }
    poll.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { keeps ? uv_ref($0) : uv_unref($0) }
  }

  /// Ends the watching; the poll can't be started again.
  ///
  /// Stops watching; further calls have no effect. Deinit does the same.
  public func close() {
    handle.close()
    action = nil
  }
}
