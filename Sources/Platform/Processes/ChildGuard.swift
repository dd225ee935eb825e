internal import CPlatform
internal import Glibc

// What our being killed leaves: the kernel ends our children, but what those have started lives on. So a copy of us waits beside us until we are
// gone, and then kills the groups of the children that still ran (`CPlatform/guard.c`). The law:
//
// 1. A child's group stands in the memory that is shared with the guard from before the child has its program until it has been reaped:
//    a number that may be somebody else's is never there.
// 2. The guard does nothing as long as we live, and ends with us where no child of ours runs. It heeds no signal.
// 3. Who waits for our lock gets it when those are dead, not before.
// 4. It is made before the socket is: nobody can connect to what a killed holder's copy has not yet closed.
// 5. It isn't a child that anybody waits for or ends as an orphan.
// 6. The private directories that we still have are removed with what is in them, before our lock is anybody's.

/// Sees to it that what our children have started ends with them if we are killed.
package final class ChildGuard {
  /// How many children can be guarded at once; those beyond them have the kernel's care alone.
  package static let capacity = 16384

  /// How many directories can be guarded at once, and how long their paths may be, in bytes.
  private static let directories = (count: 16, bytes: 128)
  private static let size = capacity * MemoryLayout<Int32>.stride + directories.count * directories.bytes

  /// Where the path of a directory is kept for the guard, while that lives.
  package struct Place {
    fileprivate let path: UnsafeMutablePointer<CChar>
    fileprivate weak var owner: ChildGuard?
  }

  /// The guard's number; 0 once it has ended.
  package private(set) var pid: Int32

  private let groups: UnsafeMutablePointer<Int32>
  private let paths: UnsafeMutablePointer<CChar>
  private let life: Descriptor
  private var released: [Int] = []
  private var used = 0

  /// Starts the guard.
  ///
  /// - Parameters:
  ///   - grace: how long a child that keeps our terminal has to end by itself: it is told to.
  ///   - lock: what nobody else is to have before the others are dead.
  /// - Throws: why it can't be started.
  package init(grace: Duration, lock: Descriptor?) throws(SystemError) {
    let (read, write) = try Descriptor.pipe()
    guard !Seam.refuses(), let memory = platform_shared_memory(Self.size) else {
      throw .last("mmap")
    }
    groups = memory.bindMemory(to: Int32.self, capacity: Self.capacity)
    paths = (memory + Self.capacity * MemoryLayout<Int32>.stride)
      .bindMemory(to: CChar.self, capacity: Self.directories.count * Self.directories.bytes)
    life = write
    var start = platform_guard()
    start.groups = groups
    start.count = Int32(Self.capacity)
    start.grace_milliseconds = Int32(
      clamping: grace.components.seconds * 1000 + grace.components.attoseconds / 1_000_000_000_000_000)
    start.directories = UnsafePointer(paths)
    start.directory_count = Int32(Self.directories.count)
    start.directory_bytes = Int32(Self.directories.bytes)
    start.pipe = read.number
    start.lock = lock?.number ?? -1
    start.arguments = platform_arguments()
    start.arguments_size = (0..<Int(CommandLine.argc)).reduce(0) { size, index in
      size + (CommandLine.unsafeArgv[index].map { strlen($0) + 1 } ?? 0)
    }
    pid = Seam.refuses() ? -1 : platform_start_guard(&start)
    guard pid > 0 else {
      let error = SystemError.last("clone")
      platform_free_shared_memory(groups, Self.size)
      throw error
    }
  }

  /// A place for the group of a child that is about to be started; nil where there is none left.
  package func place() -> Int? {
    if let place = released.popLast() { return place }
    guard used < Self.capacity else { return nil }
    used += 1
    return used - 1
  }

  /// Where a place's group is written.
  package func group(at place: Int) -> UnsafeMutablePointer<Int32> { groups + place }

  /// The child of that place has been reaped, or never was.
  package func release(_ place: Int) {
    groups[place] = 0
    released.append(place)
  }

  /// From now on a directory is removed if we are killed; nil where there is no room for it.
  package func place(forDirectory path: String) -> Place? {
    let bytes = path.utf8CString
    let starts = (0..<Self.directories.count).map { paths + $0 * Self.directories.bytes }
    guard pid > 0, bytes.count <= Self.directories.bytes, let free = starts.first(where: { $0.pointee == 0 }) else {
      return nil
    }
    // Its first byte last: a path that is only half there isn't seen.
    for index in bytes.indices.dropFirst() { free[index] = bytes[index] }
    free.pointee = bytes[0]
    return Place(path: free, owner: self)
  }

  /// Ends the guard, and reaps it; any number of times.
  package func close() {
    guard pid > 0 else { return }
    kill(pid, SIGKILL)
    while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
    pid = 0
    life.close()
    platform_free_shared_memory(groups, Self.size)
  }
}

extension ChildGuard.Place {
  /// The directory is nobody's care any more.
  package func release() {
    if let owner, owner.pid > 0 { path.pointee = 0 }
  }
}
