internal import CPlatform
internal import Glibc

/// The cores that this process may use: a reading at one moment.
package struct Cores: Sendable, Equatable {
  /// The number of cores: as many as its affinity allows, limited by the quotas of its control groups (cgroup v2), for example 1.5.
  package let count: Double
  /// The CPU time that all processes have used on these cores since the boot; with a quota, all processes of that control group.
  ///
  /// Nil if the time is unknown.
  package let used: Duration?

  /// Reads the cores; nil if they are unknown.
  package static func read() -> Cores? {
    var mask = [UInt](repeating: 0, count: 1024)
    let words = platform_affinity(&mask, mask.count)
    let count = mask.prefix(max(0, Int(words))).reduce(0) { $0 + $1.nonzeroBitCount }
    guard count > 0 else { return nil }
    let limits = groups(of: text(at: "/proc/self/cgroup") ?? "").compactMap { group in
      text(at: "\(group)/cpu.max").flatMap(quota).map { (quota: $0, group: group) }
    }
    if let least = limits.min(by: { $0.quota < $1.quota }), least.quota < Double(count) {
      return Cores(count: least.quota, used: text(at: "\(least.group)/cpu.stat").flatMap(usage))
    }
    let ticks = text(at: "/proc/stat").flatMap {
      busyTicks($0) { mask[$0 / UInt.bitWidth] >> ($0 % UInt.bitWidth) & 1 == 1 }
    }
    return Cores(count: Double(count), used: ticks.map { .seconds($0) / sysconf(Int32(_SC_CLK_TCK)) })
  }

  /// The CPU time that this thread has used.
  package static var usedByThread: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Returns the directories of a process's control group and its ancestors.
  ///
  /// `membership` is the text of `/proc/self/cgroup`. A container may see a path there that begins outside of its own root. Then only the
  /// existing directories count.
  static func groups(of membership: String) -> [String] {
    let line = lines(of: membership).first { $0.hasPrefix("0::/") }
    guard let parts = line?.dropFirst(4).split(separator: "/"), !parts.contains("..") else { return [] }
    var groups = ["/sys/fs/cgroup"]
    for part in parts { groups.append("\(groups[groups.count - 1])/\(part)") }
    return groups
  }

  /// Returns the cores of a quota: `150000 100000` is 1.5; nil for `max`, which means no limit.
  static func quota(_ text: String) -> Double? {
    let parts = text.split { $0 == " " || $0 == "\n" }.map { Int($0) }
    guard parts.count == 2, let quota = parts[0], let period = parts[1], quota > 0, period > 0 else { return nil }
    return Double(quota) / Double(period)
  }

  /// Returns the CPU time of a control group, from its `cpu.stat`.
  static func usage(_ text: String) -> Duration? {
    let line = lines(of: text).first { $0.hasPrefix("usage_usec ") }
    return line.flatMap { Int($0.dropFirst(11)) }.map { .microseconds($0) }
  }

  /// Returns the ticks in which some cores weren't idle, from `/proc/stat`.
  ///
  /// Time that was taken by the host of a virtual machine also counts.
  ///
  /// `isOurs` returns whether the core with this number counts.
  static func busyTicks(_ text: String, _ isOurs: (Int) -> Bool) -> Int? {
    var sum: Int?
    // Only the first lines are read: those of the interrupts, which follow, may be long.
    var rest = text.utf8[...]
    while rest.starts(with: "cpu".utf8), let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[..<end]
      rest = rest[line.endIndex...].dropFirst()
      // The first line is the sum of all cores. Fields: number, user, nice, system, idle, iowait, irq, softirq, steal.
      guard !line.starts(with: "cpu ".utf8) else { continue }
      let fields = line.dropFirst(3).split(separator: UInt8(ascii: " ")).map { Int(Substring($0)) ?? 0 }
      guard fields.count >= 8, isOurs(fields[0]) else { continue }
      let idle = fields[4] + fields[5]
      sum = (sum ?? 0) + fields[1..<min(9, fields.count)].reduce(0, +) - idle
    }
    return sum
  }

  /// Returns the lines of a text, which may be long.
  private static func lines(of text: String) -> [Substring] {
    // Splits bytes: finding the borders of characters takes far longer.
    text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
  }

  private static func text(at path: String) -> String? {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0, let bytes = try? Descriptor(owning: number).contents(upTo: 64 * 1024, path, by: 8 * 1024) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
