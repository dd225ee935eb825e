internal import Glibc
package import Platform

extension ProcessTable {
  /// The maximum number of threads whose children are read: in a debug build, 400 processes with a thread each take 22 ms.
  private static let mostThreads = 1000

  /// Returns the CPU time that a process and its descendants have used so far, including the descendants that have ended and were waited
  /// for.
  ///
  /// The kernel tells it in ticks of 10 ms, rounded down for each process. Only files of these processes are read, so the number of other
  /// processes doesn't matter. Returns nil if it is unknown: /proc is missing or doesn't belong to our pid namespace, or there are
  /// too many descendants.
  package static func cpuTime(ofFamily pid: Int32) -> Duration? {
    guard isOurs else { return nil }
    var ticks = 0
    var threads = 0
    var left = [pid]
    while let next = left.popLast() {
      guard let used = Self.ticks(of: next), let numbers = Self.threads(of: next) else {
        // A descendant may have ended since it was found; its parent counts it then.
        if next == pid { return nil } else { continue }
      }
      ticks += used
      threads += numbers.count
      guard threads <= mostThreads else { return nil }
      for thread in numbers {
        guard let children = children(ofThread: thread, of: next) else {
          // The thread has ended, or the kernel doesn't tell the children of threads.
          if thread == next, pid == next { return nil } else { continue }
        }
        left += children
      }
    }
    return .seconds(ticks) / sysconf(Int32(_SC_CLK_TCK))
  }

  /// Returns the CPU time in ticks that a process has used, and the ended children that it waited for.
  private static func ticks(of pid: Int32) -> Int? {
    // The fields after the name: 11 and 12 are the time of the process in user and system mode, 13 and 14 that of its ended children.
    let fields = statLine(of: pid)?.fields.split(separator: " ", maxSplits: 15)
    guard let fields, fields.count > 14 else { return nil }
    return fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }
  }

  private static func threads(of pid: Int32) -> [Int32]? {
    guard let directory = opendir("/proc/\(pid)/task") else { return nil }
    defer { closedir(directory) }
    var found: [Int32] = []
    while let entry = readdir(directory) {
      if let thread = Int32(FileTree.name(of: entry)) { found.append(thread) }
    }
    return found
  }

  private static func children(ofThread thread: Int32, of pid: Int32) -> [Int32]? {
    let path = "/proc/\(pid)/task/\(thread)/children"
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0,
      let bytes = try? Descriptor(owning: number).contents(upTo: mostThreads * 8, path, by: 4 * 1024)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
  }
}
