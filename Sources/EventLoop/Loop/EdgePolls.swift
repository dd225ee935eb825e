internal import CPlatform
internal import Platform

// libuv registers, removes and registers a descriptor again before it watches it, and removes it once more: five system calls for each
// descriptor of a child. The descriptors of children are in an epoll of their own, which libuv watches as one descriptor. Invariants:
//
// 1. A descriptor is added once, and removed by the kernel when its last copy is closed.
// 2. Each readiness is reported once (edge-triggered). So a copy of a closed descriptor, e.g. in a process that hasn't executed its program
//    yet, can't keep the loop from sleeping.
// 3. A key is never used again: an event of a poll that is closed finds no action.

/// The edge polls of a loop that aren't closed.
final class EdgePolls {
  /// The name of the handle with which libuv watches them.
  static let handleName = "edge polls"
  /// The maximum number of events per turn; further events are reported in the next turn.
  private static let mostPerTurn = 64

  private let epoll: Descriptor
  private let poll: Poll
  private var entries: [UInt64: (name: String, action: () -> Void)] = [:]
  private var lastKey: UInt64 = 0

  /// Creates an empty set on a loop.
  ///
  /// Throws when descriptors have run out.
  init(loop: Loop) throws(SystemError) {
    let number = FaultInjection.refuses() ? -1 : platform_poll_create()
    guard number >= 0 else { throw .last("epoll_create1") }
    epoll = Descriptor(owning: number)
    poll = try Poll(loop: loop, descriptor: epoll, name: Self.handleName)
    try poll.start(.readable) { [weak self] _ in self?.notify() }
    poll.keepsLoopRunning(false)
  }

  /// The names of the polls, in the order of their creation.
  var names: [String] { entries.sorted { $0.key < $1.key }.map(\.value.name) }

  /// Watches a descriptor, and returns the key of its poll.
  ///
  /// Throws for descriptors that can't be watched, e.g. regular files (EPERM).
  func add(_ descriptor: Descriptor, name: String, action: @escaping () -> Void) throws(SystemError) -> UInt64 {
    lastKey += 1
    guard !FaultInjection.refuses(), platform_poll_add(epoll.number, descriptor.number, lastKey) == 0 else {
      throw .last("epoll_ctl", name)
    }
    entries[lastKey] = (name, action)
    if entries.count == 1 { poll.keepsLoopRunning(true) }
    return lastKey
  }

  /// Forgets a poll.
  func remove(_ key: UInt64) {
    entries[key] = nil
    if entries.isEmpty { poll.keepsLoopRunning(false) }
  }

  /// Ends the watching.
  func close() { poll.close() }

  /// Calls the polls whose descriptors became ready.
  private func notify() {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.mostPerTurn) { keys in
      let count = platform_poll_ready(epoll.number, keys.baseAddress, Int32(keys.count))
      for key in keys[..<Int(count)] { entries[key]?.action() }
    }
  }
}

extension Loop {
  /// Returns the loop's edge polls.
  ///
  /// Throws when descriptors have run out.
  func edgePolls() throws(SystemError) -> EdgePolls {
    if let madeEdgePolls { return madeEdgePolls }
    let made = try EdgePolls(loop: self)
    madeEdgePolls = made
    return made
  }

  /// Ends the watching of edge polls, unless there are some; returns their names.
  func closeEdgePolls() -> [String] {
    guard let polls = madeEdgePolls, polls.names.isEmpty else { return madeEdgePolls?.names ?? [] }
    polls.close()
    madeEdgePolls = nil
    return []
  }
}
