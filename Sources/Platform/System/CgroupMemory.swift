internal import Glibc

/// The memory limit of this process's cgroup.
package enum CgroupMemory {
  /// Returns the smallest limit of the cgroup and its ancestors, in bytes; nil if there is no limit, or it can't be read.
  package static func limit() -> Int? { limit(cgroups: contents("/proc/self/cgroup") ?? "", contents: contents) }

  /// Returns the smallest limit, for the text of `/proc/self/cgroup`.
  ///
  /// `contents` returns the text of a file, if it can be read.
  static func limit(cgroups: String, contents: (String) -> String?) -> Int? {
    files(cgroups: cgroups).compactMap { file in
      // Without a limit it is "max"; in version 1, a number that no machine reaches.
      contents(file).flatMap { Int($0.prefix { $0 != "\n" }) }
    }.min()
  }

  /// Returns the files that may have a limit.
  ///
  /// In a container, the path may be the host's, which doesn't exist here. Then the root is the container's.
  private static func files(cgroups: String) -> [String] {
    cgroups.split(separator: "\n").flatMap { line -> [String] in
      // The number of the hierarchy, its controllers, and the path in it.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      if parts[1].isEmpty { return files("memory.max", at: parts[2], in: "/sys/fs/cgroup") }
      guard parts[1].split(separator: ",").contains("memory") else { return [] }
      return files("memory.limit_in_bytes", at: parts[2], in: "/sys/fs/cgroup/memory")
    }
  }

  /// Returns the file of this name in the directory of a cgroup, and in its ancestors.
  private static func files(_ name: String, at path: Substring, in root: String) -> [String] {
    let names = path.split(separator: "/").map(String.init)
    guard !names.contains("..") else { return ["\(root)/\(name)"] }
    var directories = [root]
    for each in names { directories.append("\(directories[directories.count - 1])/\(each)") }
    return directories.map { "\($0)/\(name)" }
  }

  private static func contents(_ path: String) -> String? {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0, let bytes = try? Descriptor(owning: number).contents(upTo: 16 * 1024, path) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
