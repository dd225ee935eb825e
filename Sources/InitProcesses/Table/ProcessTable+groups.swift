internal import Glibc
internal import Platform

extension ProcessTable {
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

  /// Returns whether a process is known to be stopped, by SIGSTOP or by its terminal.
  package static func isStopped(_ pid: Int32) -> Bool { isOurs && read(pid)?.state == UInt8(ascii: "T") }
}
