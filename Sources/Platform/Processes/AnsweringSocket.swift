/// A socket that listens, as it is found in the tables of /proc: a value.
package enum ListeningSocket: Equatable, Sendable {
  /// A TCP port of an address of this machine.
  case tcp(IPAddress, port: UInt16)
  /// A Unix socket at a path.
  case unix(String)

  /// Returns the inode numbers of the sockets that listen there, in the text of `/proc/net/tcp`, `tcp6` or `unix`.
  package func inodes(in table: some StringProtocol) -> Set<UInt64> {
    var found: Set<UInt64> = []
    for line in table.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      switch self {
      case .tcp(let address, let port):
        // sl local remote state queues timer retransmits user timeout inode …; 0A is a listening socket.
        guard fields.count > 9, fields[3] == "0A", Self.listens(fields[1], at: address, port) else { continue }
        if let inode = UInt64(fields[9]) { found.insert(inode) }
      case .unix(let path):
        // num references protocol flags type state inode path; the path may contain spaces.
        guard fields.count > 7, let flags = UInt32(fields[3], radix: 16), flags & 0x10000 != 0,
          line[fields[7].startIndex...].utf8.elementsEqual(path.utf8)
        else { continue }
        if let inode = UInt64(fields[6]) { found.insert(inode) }
      }
    }
    return found
  }

  /// Returns whether a local address, in hexadecimal digits, is this address, or all addresses.
  private static func listens(_ text: some StringProtocol, at address: IPAddress, _ port: UInt16) -> Bool {
    let parts = text.split(separator: ":")
    guard parts.count == 2, UInt16(parts[1], radix: 16) == port, let bytes = bytes(parts[0]) else { return false }
    if bytes.allSatisfy({ $0 == 0 }) { return bytes.count == 16 || !address.isIPv6 }
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return bytes == address.bytes || !address.isIPv6 && bytes == mapped + address.bytes
  }

  /// Reads the bytes of an address from hexadecimal digits: groups of 4 bytes in the byte order of this machine.
  private static func bytes(_ digits: some StringProtocol) -> [UInt8]? {
    let text = Array(digits.utf8)
    guard text.count == 8 || text.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: 8) {
      guard let word = UInt32(String(decoding: text[start..<(start + 8)], as: UTF8.self), radix: 16) else { return nil }
      withUnsafeBytes(of: word) { bytes += $0 }
    }
    return bytes
  }
}
