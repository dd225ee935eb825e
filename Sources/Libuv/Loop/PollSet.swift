internal import CLibuv
internal import CPlatform
internal import Platform

// libuv registers, removes and registers a descriptor again before it watches it, which costs five system calls for each descriptor of a
// child. So the polls of a loop have an epoll of their own, and libuv watches that one. Invariants:
//
// 1. A descriptor is removed before it is closed: a process that still has a copy of it would otherwise keep it in the epoll.
// 2. A key is never used again. An event of a poll that an earlier callback of the same turn has closed finds no poll.
// 3. The set keeps a poll's descriptor open, and holds the poll weakly.

/// All open polls of a loop.
final class PollSet {
  private final class Entry {
    let name: String
    let descriptor: Descriptor
    weak var poll: Poll?

    init(_ poll: Poll, name: String) { (self.poll, self.name, descriptor) = (poll, name, poll.descriptor) }
  }

  /// How many descriptors are reported per turn; the others are reported in the next one.
  private static let eventsPerTurn = 64

  private let epoll: Descriptor
  private let raw: UnsafeMutablePointer<uv_poll_t>
  private var isWatched = false
  private var polls: [UInt64: Entry] = [:]
  /// Closed polls whose descriptors aren't removed yet.
  private var ended: [Poll] = []
  private var lastKey: UInt64 = 0
  private var startedCount = 0

  /// An empty set. Throws when descriptors have run out.
  init() throws(SystemError) {
    let number = platform_poll_create()
    guard number >= 0 else { throw .last("epoll_create1") }
    epoll = Descriptor(owning: number)
    raw = .allocate(capacity: 1)
  }

  deinit { raw.deallocate() }

  private var rawHandle: UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(raw).assumingMemoryBound(to: uv_handle_t.self)
  }

  /// Has the loop call `callback`, in each turn in which a poll is ready, with `data` in its handle. Returns libuv's status.
  func watch(on loop: UnsafeMutablePointer<uv_loop_t>, data: UnsafeMutableRawPointer, _ callback: uv_poll_cb) -> CInt {
    let status = uv_poll_init(loop, raw, epoll.number)
    guard status == 0 else { return status }
    isWatched = true
    raw.pointee.data = data
    uv_unref(rawHandle)
    return uv_poll_start(raw, CInt(UV_READABLE.rawValue), callback)
  }

  /// Ends that, unless polls are open; further calls have no effect. The set must live until the loop has closed the handle.
  func unwatchIfEmpty() {
    guard isWatched, polls.isEmpty else { return }
    isWatched = false
    uv_close(rawHandle, nil)
  }

  /// The names of the polls, in the order of their creation.
  var names: [String] { polls.sorted { $0.key < $1.key }.map(\.value.name) }

  /// Adds a poll that isn't started, and returns its key.
  func add(_ poll: Poll, name: String) -> UInt64 {
    lastKey += 1
    polls[lastKey] = Entry(poll, name: name)
    return lastKey
  }

  /// Watches the poll's descriptor for `events`, or for other events than before.
  func start(_ key: UInt64, _ descriptor: Descriptor, _ events: UInt32, isStarted: Bool) throws(SystemError) {
    let call = isStarted ? platform_poll_change : platform_poll_add
    guard !Seam.refuses(), call(epoll.number, descriptor.number, events, key) == 0 else { throw .last("epoll_ctl") }
    if isStarted { return }
    // A loop whose own handles are closed runs as long as a poll is started.
    if startedCount == 0 { uv_ref(rawHandle) }
    startedCount += 1
  }

  /// Stops watching the descriptor of a started poll.
  func stop(_ descriptor: Descriptor) {
    platform_poll_remove(epoll.number, descriptor.number)
    startedCount -= 1
    if startedCount == 0 { uv_unref(rawHandle) }
  }

  /// Removes a poll.
  func remove(_ key: UInt64, isStarted: Bool) {
    if let poll = polls.removeValue(forKey: key), isStarted { stop(poll.descriptor) }
  }

  /// The next `removeEnded` removes the poll.
  func removeLater(_ poll: Poll) { ended.append(poll) }

  /// Removes the polls that are to be removed later, and closes their descriptors.
  func removeEnded() {
    for poll in ended {
      poll.remove()
      poll.descriptor.close()
    }
    ended.removeAll(keepingCapacity: true)
  }

  /// Calls the polls that are ready.
  func tell() {
    withUnsafeTemporaryAllocation(of: platform_ready.self, capacity: Self.eventsPerTurn) { ready in
      let count = platform_poll_ready(epoll.number, ready.baseAddress, CInt(ready.count))
      for event in ready[..<Int(count)] {
        polls[event.key]?.poll?.tell(Poll.Events(reported: event.events))
      }
    }
  }
}

extension Loop {
  /// The last step before the poll of each turn; timers and work come before it.
  func preparePoll() {
    writeGathered()
    polls.removeEnded()
  }
}
