internal import Glibc

/// The kernel's identifier of the current boot.
package enum BootID {
  /// Reads an identifier that changes at each boot; nil without a proc file system.
  package static func read() -> String? {
    let path = "/proc/sys/kernel/random/boot_id"
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0, let bytes = try? Descriptor(owning: number).contents(upTo: 64, path), !bytes.isEmpty else {
      return nil
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
