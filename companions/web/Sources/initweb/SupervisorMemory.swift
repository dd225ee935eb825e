internal import Glibc

/// The memory of a supervisor, from /proc.
enum SupervisorMemory {
  /// Returns the resident memory of that process.
  ///
  /// Nil if the process can't be seen, or isn't `initd`: in another pid namespace, the number may belong to another process.
  static func residentBytes(_ pid: Int) -> Int? {
    guard read("/proc/\(pid)/comm") == "initd\n", let text = read("/proc/\(pid)/statm") else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
  }

  private static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}
