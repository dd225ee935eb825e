internal import CLibuv
internal import CPlatform
internal import DequeModule
internal import Glibc
internal import InitLocks
public import Platform

// Terms. A loop *belongs* to the thread that created it. It runs and is closed there, and its handles are used only there. A piece of
// *work* is a Swift job or a closure, queued from any thread and run on that thread, in order.
//
// Invariants:
//
// 1. Only `perform`, `enqueue`, `stop`, `isCurrent` and `now` may be called from other threads.
// 2. Work is queued under a lock, and the loop is woken at most once until it has checked the queue: by `uv_async_send` from another
//    thread, by an idle handle (no system call) from its own. Waking and closing use the same lock, so a loop whose handle is closing is
//    never woken.
// 3. A turn runs at most `workPerTurn` pieces; the rest runs in the next one. Timers and descriptors get their turn even if there is much
// work.
// 4. Work queued for the next turn never runs in this one, even if there is room: descriptors are polled in between.
// 5. A loop without work sleeps in the kernel. It has no timer of its own.
// 6. Work and descriptors that are ready when a timer is due are handled before it fires, within the limits of TimerPatience.

/// An event loop, and an executor: its actors and tasks run on its thread, together with its handles.
///
/// A loop belongs to the thread that created it. SIGPIPE is blocked in that thread, because libuv writes to sockets whose reader may have
/// closed them.
public final class Loop: @unchecked Sendable {
  /// How many pieces of work run per turn, before timers and descriptors.
  public static let workPerTurn = 256

  let raw: UnsafeMutablePointer<uv_loop_t>
  /// The read buffer of all streams: the callback follows immediately after the read, so one is enough.
  let readBuffer: UnsafeMutableRawBufferPointer

  private let own: OwnHandles
  private let thread: pthread_t
  private let queue = Locked(Queue())
  private var batch: [Work] = []
  /// Work for the turn after the one in which it was queued.
  private var nextTurn: [(asked: Int, action: @Sendable () -> Void)] = []
  /// The number of the current turn: one poll of all descriptors and their callbacks.
  ///
  /// Work runs before the poll.
  public private(set) var turn = 0
  /// The streams with bytes that wait for the poll, and some that had such bytes.
  var writers: [Stream] = []
  /// The watches of descriptors, if there were any.
  var readWatches: ReadWatches?
  /// The buffer for code that reads a descriptor itself; nil while it is in use, and before its first use.
  private var spareMemory: UnsafeMutableRawBufferPointer?
  /// Work for the end of this turn.
  var lastWork: [() -> Void] = []
  /// Decides which due timers wait.
  private var timerPatience = TimerPatience()
  private var isRunning = false
  /// The threads for work that blocks; created at first use.
  lazy var threads = ThreadExecutor(name: "files", maximumThreads: Loop.blockingThreads)
  /// Called when the blocking work with this number has returned.
  private var blockingWork: [Int: () -> Void] = [:]
  private var lastBlockingWork = 0

  private struct Queue {
    var work = Deque<Work>()
    /// Whether the loop is woken and will check the queue.
    var isWoken = false
    var state = State.open
  }

  private enum State {
    /// The loop can be woken.
    case open
    /// The loop's own handles are closed, others aren't: queued work waits for the next `close`.
    case closing
    /// The loop is closed; nothing runs any more.
    case closed
  }

  /// A piece of work.
  enum Work: Sendable {
    case job(UnownedJob)
    case action(@Sendable () -> Void)
  }

  /// Creates a loop for this thread.
  ///
  /// Throws if the system has no descriptors or memory for it.
  public init() throws(SystemError) {
    try Loop.checkDescriptors()
    raw = .allocate(capacity: 1)
    own = OwnHandles()
    readBuffer = .allocate(byteCount: 16 * 1024, alignment: 16)
    thread = pthread_self()
    var status = uv_loop_init(raw)
    if status == 0 {
      status = own.open(on: raw) { Loop.of($0?.pointee.loop)?.runWork() }
      if status != 0 { uv_loop_close(raw) }
    }
    guard status == 0 else {
      freeMemory()
      throw .uv("uv_loop_init", status)
    }
    raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    uv_prepare_start(own.beforePoll) { Loop.of($0?.pointee.loop)?.finishTurn() }
    uv_check_start(own.turnEnd) { Loop.of($0?.pointee.loop)?.turn += 1 }
    platform_block_signal_in_this_thread(SIGPIPE)
  }

  /// Throws if fewer descriptors are free than a loop needs: libuv aborts the process if it can't create its pipe for signals.
  private static func checkDescriptors() throws(SystemError) {
    // An epoll, an eventfd, and two pipes.
    let needed = [try Descriptor.pipe(), try Descriptor.pipe(), try Descriptor.pipe()]
    withExtendedLifetime(needed) {}
  }

  /// Whether the caller is on the thread that the loop belongs to.
  public var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// The monotonic clock of timers, from a fixed moment in the past.
  ///
  /// May be read from any thread.
  public var now: Duration { .nanoseconds(Int64(uv_hrtime())) }

  /// The time since the boot, with the time in which the machine was suspended.
  ///
  /// May be read from any thread.
  public var bootTime: Duration { BootClock.now }

  /// Runs handles' callbacks and queued work on the calling thread, to which the loop must belong, until ``stop()``.
  public func run() {
    preconditionCurrent()
    precondition(!isRunning, "a loop can't be run from within itself")
    isRunning = true
    uv_run(raw, UV_RUN_DEFAULT)
    // A stopped loop doesn't come to its next poll.
    finishTurn()
    isRunning = false
  }

  /// Makes ``run()`` return, after the work queued before and the current turn.
  ///
  /// Stops the loop; may be called from any thread. Before `run()`, it makes the next one return.
  public func stop() {
    perform { [self] in uv_stop(raw) }
  }

  /// Runs `action` on the loop's thread, in this turn or a later one, after all work queued before.
  ///
  /// This may be called from any thread. A closed loop drops the action.
  public func perform(_ action: @escaping @Sendable () -> Void) {
    submit(.action(action))
  }

  /// Runs `action` in the next turn, after all descriptors that are ready now are handled: for work that continues repeatedly.
  ///
  /// Call it only on the loop's thread.
  public func performNextTurn(_ action: @escaping @Sendable () -> Void) {
    preconditionCurrent()
    nextTurn.append((turn, action))
    startTurnAfterThis()
  }

  /// Adds blocking work, and returns its number; `then` is called when it has returned.
  func addBlockingWork(_ then: @escaping () -> Void) -> Int {
    lastBlockingWork += 1
    blockingWork[lastBlockingWork] = then
    return lastBlockingWork
  }

  /// Handles that blocking work has returned.
  func finishBlockingWork(_ number: Int) { blockingWork.removeValue(forKey: number)?() }

  /// Closes a loop that isn't running, after the work still queued.
  ///
  /// Call it only on the loop's thread.
  ///
  /// Throws the names of handles that are still open, in which case the loop isn't closed. After they are closed, it may be closed again. It may run
  /// until then, but can't be stopped.
  public func close() throws(LeakedHandles) {
    preconditionCurrent()
    precondition(!isRunning, "a loop can't be closed from within itself: stop() it first")
    guard queue.withLock({ $0.state }) != .closed else { return }
    for _ in 0..<Loop.turnsToSettle where hasWork || !nextTurn.isEmpty {
      runWork()
      uv_run(raw, UV_RUN_NOWAIT)
    }
    let ownHandlesAreOpen = queue.withLock { queue in
      defer { queue.state = .closing }
      return queue.state == .open
    }
    if ownHandlesAreOpen { own.close() }
    finishTurn()
    closeWatches()
    // A turn frees closing handles; a pending stop() needs one more turn. In each, the last watch may be removed.
    for _ in 0..<2 {
      uv_run(raw, UV_RUN_NOWAIT)
      closeWatches()
    }
    uv_run(raw, UV_RUN_NOWAIT)
    guard blockingWork.isEmpty, uv_loop_close(raw) == 0 else {
      let handles = namesOfOpenHandles(on: raw).filter { $0 != ReadWatches.name }
      throw LeakedHandles(
        names: handles + (readWatches?.names ?? []) + blockingWork.map { _ in "blocking work" })
    }
    let dropped = queue.withLock { queue in
      queue.state = .closed
      defer { queue.work = [] }
      return queue.work
    }
    freeMemory()
    _ = dropped
  }

  /// A bound, so work that always queues more work doesn't prevent a loop from closing.
  private static let turnsToSettle = 1000

  private var hasWork: Bool { queue.withLock { !$0.work.isEmpty } }

  /// Queues work, and wakes the loop unless it is already woken.
  func submit(_ work: Work) {
    queue.withLock { queue in
      guard queue.state != .closed else { return }
      queue.work.append(work)
      guard queue.state == .open, !queue.isWoken else { return }
      queue.isWoken = true
      if isCurrent {
        startTurnAfterThis()
      } else {
        uv_async_send(own.wakeUp)
      }
    }
  }

  /// Runs at most `workPerTurn` pieces of queued work, and schedules the rest for the next turn.
  private func runWork() {
    // If another thread has queued work, it is run even in the middle of a turn. Signals are handled after it.
    let due = nextTurn.prefix { $0.asked < turn }
    nextTurn.removeFirst(due.count)
    for each in due { each.action() }
    // Work that is queued by work runs in the same turn, up to the limit, because each turn polls every descriptor.
    var room = Loop.workPerTurn
    while room > 0 {
      queue.withLock { queue in
        let count = min(queue.work.count, room)
        batch.append(contentsOf: queue.work.prefix(count))
        queue.work.removeFirst(count)
      }
      if batch.isEmpty { break }
      room -= batch.count
      var next = 0
      while next < batch.count {
        run(batch[next])
        next += 1
      }
      batch.removeAll(keepingCapacity: true)
    }
    let isMoreToDo: Bool? = queue.withLock { queue in
      queue.isWoken = !queue.work.isEmpty || !nextTurn.isEmpty
      return queue.state == .open ? queue.isWoken : nil
    }
    switch isMoreToDo {
    case true: startTurnAfterThis()
    case false: uv_idle_stop(own.moreWork)
    case nil: break
    }
  }

  private func run(_ work: Work) {
    switch work {
    case .job(let job):
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    case .action(let action):
      action()
    }
  }

  /// Starts another turn after this one: an active idle handle keeps the loop from sleeping, and is called once a turn.
  private func startTurnAfterThis() {
    uv_idle_start(own.moreWork) { Loop.of($0?.pointee.loop)?.runWork() }
  }

  /// Returns whether a due timer must wait until the loop has handled everything that is ready.
  ///
  /// If it waits, later timers also wait, so they keep their order.
  ///
  /// `due` is the time at which it was due, in milliseconds of the loop's time.
  func holdsTimers(due: UInt64) -> Bool {
    timerPatience.holdsTimers(
      due: due, at: uv_now(raw), turn: turn,
      isReady: { [self] in
        own.hasMoreWork || platform_poll_is_ready(uv_backend_fd(raw)) != 0
      })
  }

  /// Traps unless the caller is on the loop's thread.
  package func preconditionCurrent(_ what: @autoclosure () -> String = "a handle may be used on its loop's thread only")
  {
    precondition(isCurrent, what())
  }

  /// Calls `body` with 16 KiB of memory, whose contents are undefined: for code that reads a descriptor itself.
  ///
  /// Call it only on the loop's thread. The memory is kept for the next call. A nested call gets memory of its own.
  package func withMemory(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
    preconditionCurrent()
    let memory = spareMemory ?? .allocate(byteCount: 16 * 1024, alignment: 16)
    spareMemory = nil
    body(memory)
    spareMemory?.deallocate()
    spareMemory = memory
  }

  private func freeMemory() {
    spareMemory?.deallocate()
    readBuffer.deallocate()
    own.deallocate()
    raw.deallocate()
  }

  static func of(_ raw: UnsafeMutablePointer<uv_loop_t>?) -> Loop? {
    raw?.pointee.data.map { Unmanaged<Loop>.fromOpaque($0).takeUnretainedValue() }
  }
}
