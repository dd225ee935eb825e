internal import Glibc

/// Information about other processes, from /proc.
package enum ProcessTable {
  /// Returns the parent of a process; nil if it is unknown.
  package static func parent(of pid: Int32) -> Int32? { read(pid)?.parent }

  /// Returns the children of a process that haven't ended; none if /proc is missing, or doesn't belong to our pid namespace.
  package static func children(of parent: Int32) -> [LeftProcess] {
    guard isOurs, let directory = opendir("/proc") else { return [] }
    defer { closedir(directory) }
    var found: [LeftProcess] = []
    while let entry = readdir(directory) {
      guard let pid = Int32(FileTree.name(of: entry)), let process = read(pid) else { continue }
      if process.parent == parent, process.state != UInt8(ascii: "Z") {
        found.append(LeftProcess(pid: pid, name: process.name))
      }
    }
    return found
  }

  /// Returns the processes of a group that haven't ended, by pid; none if /proc doesn't belong to our pid namespace.
  package static func members(ofGroup group: Int32) -> [LeftProcess] {
    guard isOurs, let directory = opendir("/proc") else { return [] }
    defer { closedir(directory) }
    var found: [LeftProcess] = []
    while let entry = readdir(directory) {
      guard let pid = Int32(FileTree.name(of: entry)), getpgid(pid) == group, let process = read(pid),
        process.state != UInt8(ascii: "Z")
      else { continue }
      found.append(LeftProcess(pid: pid, name: process.name))
    }
    return found.sorted { $0.pid < $1.pid }
  }

  /// Returns a process and its descendants, and the processes of the session that it leads.
  package static func family(of pid: Int32) -> Set<Int32> {
    var parents: [Int32: Int32] = [:]
    for other in pids() { parents[other] = parent(of: other) }
    var family: Set<Int32> = [pid]
    family.formUnion(parents.keys.filter { getsid($0) == pid })
    var count = 0
    while count != family.count {
      count = family.count
      for (child, parent) in parents where family.contains(parent) { family.insert(child) }
    }
    return family
  }

  /// Returns all processes; none if /proc is missing, or doesn't belong to our pid namespace.
  package static func pids() -> [Int32] {
    guard isOurs, let directory = opendir("/proc") else { return [] }
    defer { closedir(directory) }
    var found: [Int32] = []
    while let entry = readdir(directory) {
      if let pid = Int32(FileTree.name(of: entry)) { found.append(pid) }
    }
    return found
  }

  /// Returns a process with its name; nil if it has ended.
  package static func named(_ pid: Int32) -> LeftProcess? { read(pid).map { LeftProcess(pid: pid, name: $0.name) } }

  /// Whether /proc belongs to our pid namespace: the first process of a new namespace may still see its parent's.
  static var isOurs: Bool {
    var name = [UInt8](repeating: 0, count: 16)
    let count = readlink("/proc/self", &name, name.count)
    return count > 0 && String(decoding: name[..<count], as: UTF8.self) == String(getpid())
  }

  /// Returns whether a process is known to be stopped, by SIGSTOP or by its terminal.
  package static func isStopped(_ pid: Int32) -> Bool { isOurs && read(pid)?.state == UInt8(ascii: "T") }

  /// Returns whether a process is known to have ended, even if it hasn't been reaped yet.
  package static func isGone(_ pid: Int32) -> Bool {
    guard kill(pid, 0) == 0 || errno != ESRCH else { return true }
    return isOurs && read(pid)?.state == UInt8(ascii: "Z")
  }

  /// Returns the number that a process has in its own pid namespace; nil if it is unknown.
  package static func innermostNumber(of pid: Int32) -> Int32? {
    guard isOurs else { return nil }
    let number = open("/proc/\(pid)/status", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    defer { close(number) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(number, &bytes, bytes.count)
    // The line is "NSpid:	4711	1": the numbers from our namespace to the innermost one.
    let line = String(decoding: bytes[..<max(count, 0)], as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("NSpid:")
    }
    return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) }
  }

  private static func read(_ pid: Int32) -> (name: String, parent: Int32, state: UInt8)? {
    guard let (name, rest) = statLine(of: pid) else { return nil }
    let fields = rest.split(separator: " ", maxSplits: 2)
    guard fields.count > 1, let parent = Int32(fields[1]), let state = fields[0].utf8.first else { return nil }
    return (name, parent, state)
  }

  /// Returns the name of a process, and the fields of its `/proc/PID/stat` that follow it: the state, the parent and so on.
  static func statLine(of pid: Int32) -> (name: String, fields: String)? {
    let number = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    defer { close(number) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = Glibc.read(number, &bytes, bytes.count)
    // The format is PID (NAME) STATE PPID …; the name may contain any character.
    guard count > 0, let start = bytes[..<count].firstIndex(of: UInt8(ascii: "(")),
      let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")), start < end
    else { return nil }
    let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
    return (name, String(decoding: bytes[(end + 1)..<count], as: UTF8.self))
  }
}
