internal import Glibc

/// Information about other processes, from /proc.
package enum ProcessTable {
  /// Returns the parent of a process; nil if it is unknown.
  package static func parent(of pid: Int32) -> Int32? { read(pid)?.parent }

  /// Whether /proc belongs to our pid namespace: the first process of a new namespace may still see its parent's.
  package static var isOurs: Bool {
    var name = [UInt8](repeating: 0, count: 16)
    let count = readlink("/proc/self", &name, name.count)
    return count > 0 && String(decoding: name[..<count], as: UTF8.self) == String(getpid())
  }

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

  /// Returns the name, the parent and the state of a process; nil if it is unknown.
  package static func read(_ pid: Int32) -> (name: String, parent: Int32, state: UInt8)? {
    guard let (name, rest) = statLine(of: pid) else { return nil }
    let fields = rest.split(separator: " ", maxSplits: 2)
    guard fields.count > 1, let parent = Int32(fields[1]), let state = fields[0].utf8.first else { return nil }
    return (name, parent, state)
  }

  /// Returns the name of a process, and the fields of its `/proc/PID/stat` that follow it: the state, the parent and so on.
  package static func statLine(of pid: Int32) -> (name: String, fields: String)? {
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
