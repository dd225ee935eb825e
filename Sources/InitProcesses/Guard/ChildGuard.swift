internal import CProcesses
internal import Glibc
package import Platform

// If this process is killed, the kernel kills its children, but not its grandchildren. So a copy of this process, the guard, waits until
// this process has ended, and then kills the process groups of the children that were still running (`CProcesses/guard.h`). Invariants:
//
// 1. A child's group is in the memory shared with the guard from before the child executes its program until it has been reaped: a reused
//    number is never there.
// 2. The guard does nothing while this process runs. When this process ends and no child runs, the guard exits. It ignores all signals.
// 3. The lock is released only after those processes have ended.
// 4. It closes its copies of all descriptors but the pipe's and the lock's. The first guard is created before the socket, so it never has a
//    copy of the socket.
// 5. Other code neither waits for it as a child nor ends it as an orphan: only a wait with __WALL sees it.
// 6. Remaining private directories are removed with their contents before the lock is released.
// 7. A lost guard is replaced by a new one with the same memory, so the new guard knows all groups and directories.

/// Kills grandchildren if this process is killed.
package final class ChildGuard {
  /// How many children can be guarded at once; for others only the kernel's `PR_SET_PDEATHSIG` applies.
  package static let capacity = 16384

  /// How many directories can be guarded at once, and how long their paths may be, in bytes.
  private static let directories = (count: 16, bytes: 128)
  private static let size = capacity * MemoryLayout<Int32>.stride + directories.count * directories.bytes

  /// The memory for a directory's path.
  package struct Slot {
    fileprivate let path: UnsafeMutablePointer<CChar>
    fileprivate weak var owner: ChildGuard?
  }

  /// The pid of the guard; 0 while no guard runs.
  package private(set) var pid: Int32 = 0
  /// Readable when the guard has ended.
  package private(set) var pidfd: Descriptor?

  private let groups: UnsafeMutablePointer<Int32>
  private let paths: UnsafeMutablePointer<CChar>
  private let grace: Duration
  private let lock: Descriptor?
  /// The writing end of the guard's pipe.
  private var life: Descriptor?
  private var isClosed = false
  private var released: [Int] = []
  private var used = 0

  /// Starts the guard.
  ///
  /// - Parameters:
  ///   - grace: the time that a child that keeps our terminal has to exit after SIGTERM.
  ///   - lock: the lock to hold until the other children have ended.
  /// - Throws: the reason why the guard can't be started.
  package init(grace: Duration, lock: Descriptor?) throws(SystemError) {
    guard !FaultInjection.refuses(), let memory = process_shared_memory(Self.size) else {
      throw .last("mmap")
    }
    groups = memory.bindMemory(to: Int32.self, capacity: Self.capacity)
    paths = (memory + Self.capacity * MemoryLayout<Int32>.stride)
      .bindMemory(to: CChar.self, capacity: Self.directories.count * Self.directories.bytes)
    self.grace = grace
    self.lock = lock
    do {
      try start()
    } catch {
      close()
      throw error
    }
  }

  /// Starts a guard, unless one runs; it knows all groups and directories.
  ///
  /// - Throws: the reason why the guard can't be started.
  package func start() throws(SystemError) {
    guard pid == 0, !isClosed else { return }
    let (read, write) = try Descriptor.pipe()
    var start = process_guard()
    start.groups = groups
    start.count = Int32(Self.capacity)
    start.grace_milliseconds = Int32(
      clamping: grace.components.seconds * 1000 + grace.components.attoseconds / 1_000_000_000_000_000)
    start.directories = UnsafePointer(paths)
    start.directory_count = Int32(Self.directories.count)
    start.directory_bytes = Int32(Self.directories.bytes)
    start.pipe = read.number
    start.lock = lock?.number ?? -1
    start.arguments = process_arguments()
    start.arguments_size = (0..<Int(CommandLine.argc)).reduce(0) { size, index in
      size + (CommandLine.unsafeArgv[index].map { strlen($0) + 1 } ?? 0)
    }
    var number: Int32 = -1
    let new = FaultInjection.refuses() ? -1 : process_start_guard(&start, &number)
    guard new > 0 else { throw .last("clone") }
    pid = new
    pidfd = Descriptor(owning: number)
    life = write
  }

  /// Reaps the guard if it has ended, for example because it was killed.
  ///
  /// - Returns: how the guard ended; nil if it runs.
  package func reap() -> ExitStatus? {
    guard let pidfd else { return nil }
    var exit = process_exit()
    let isKnown = process_wait(pidfd.number, WEXITED | WNOHANG, &exit) == 0
    if isKnown, exit.code == 0 { return nil }
    pid = 0
    self.pidfd = nil
    life = nil
    guard isKnown else { return .unknown }
    return exit.code == CLD_EXITED ? .exited(exit.status) : .signaled(exit.status)
  }

  /// Reserves a slot for the group of a child that is about to be started; nil if none is left.
  package func slot() -> Int? {
    if let slot = released.popLast() { return slot }
    guard used < Self.capacity else { return nil }
    used += 1
    return used - 1
  }

  /// Returns the memory of a slot's group.
  package func group(at slot: Int) -> UnsafeMutablePointer<Int32> { groups + slot }

  /// Frees a slot: its child has been reaped, or was never started.
  package func release(_ slot: Int) {
    groups[slot] = 0
    released.append(slot)
  }

  /// Registers a directory to be removed if this process is killed; nil if there is no room for it.
  package func slot(forDirectory path: String) -> Slot? {
    let bytes = path.utf8CString
    let starts = (0..<Self.directories.count).map { paths + $0 * Self.directories.bytes }
    guard !isClosed, bytes.count <= Self.directories.bytes, let free = starts.first(where: { $0.pointee == 0 }) else {
      return nil
    }
    // The first byte is written last, so the guard never sees an incomplete path.
    for index in bytes.indices.dropFirst() { free[index] = bytes[index] }
    free.pointee = bytes[0]
    return Slot(path: free, owner: self)
  }

  /// Ends the guard, and reaps it.
  ///
  /// Further calls have no effect.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    if pid > 0 {
      kill(pid, SIGKILL)
      while waitpid(pid, nil, __WALL) < 0 && errno == EINTR {}
    }
    pid = 0
    pidfd = nil
    life = nil
    process_free_shared_memory(groups, Self.size)
  }

  /// Whether the memory of the slots can be used.
  fileprivate var isOpen: Bool { !isClosed }
}

extension ChildGuard.Slot {
  /// Tells the guard not to remove the directory any more.
  package func release() {
    if let owner, owner.isOpen { path.pointee = 0 }
  }
}
