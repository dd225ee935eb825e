internal import Glibc

/// Which start of the system this is, by the kernel's word.
package enum BootID {
  /// An identifier that is another one after each start of the system; nil without a proc file system.
  package static func read() -> String? {
    let number = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = Descriptor(owning: number)
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(file.number, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
