internal import CPlatform
internal import Glibc

/// Where a directory is: on which machine, on which file system, and which one it is there.
///
/// A copy of the directory is at another place.
package struct DirectoryPlace: Equatable, Sendable {
  /// The identity of the machine, from `/etc/machine-id`; empty if it has none.
  package let machine: String
  /// The identity of the file system, and of the directory in it.
  package let directory: String
  /// Whether the file system is in memory: it is empty after the system was started again.
  package let isInMemory: Bool

  /// Finds out where a directory is.
  ///
  /// - Throws: why that isn't known.
  package init(of path: String) throws(SystemError) {
    var system: UInt64 = 0
    var storage = PLATFORM_LOCAL
    guard platform_file_system(path, &system, &storage) == 0, let identity = FileIdentity(behind: path) else {
      throw .last("stat", path)
    }
    directory = "\(String(system, radix: 16)):\(identity.number)"
    isInMemory = storage == PLATFORM_IN_MEMORY
    machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"].lazy.compactMap(Self.machine).first ?? ""
  }

  /// Returns whether a path is on a file system of which another machine may change files: the kernel reports no such changes.
  package static func isRemote(_ path: String) -> Bool {
    var system: UInt64 = 0
    var storage = PLATFORM_LOCAL
    return platform_file_system(path, &system, &storage) == 0 && storage == PLATFORM_REMOTE
  }

  private static func machine(in path: String) -> String? {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0, let bytes = try? Descriptor(owning: number).contents(upTo: 64, path) else { return nil }
    let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
