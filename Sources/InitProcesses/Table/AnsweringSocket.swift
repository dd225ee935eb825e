package import Platform

/// The socket at the other end of a connection of this process, as it is found in the tables of /proc: a value.
package enum AnsweringSocket: Equatable, Sendable {
  /// An end of a TCP connection.
  package struct End: Equatable, Sendable {
    /// The address; an IPv4 address that is mapped to IPv6 is an IPv4 address here.
    package let address: IPAddress
    /// The port.
    package let port: UInt16

    /// Creates an end.
    package init(_ address: IPAddress, port: UInt16) {
      self.address = address.unmapped
      self.port = port
    }
  }

  /// A TCP connection, from this process's end to the other one.
  case tcp(from: End, to: End)
  /// A Unix socket: the path to which it was bound, which may have been renamed since; and the process that called listen, if it is known.
  case unix(String, listener: Int32?)

  /// How a listening TCP socket was bound; the system prefers the larger value.
  private enum Binding: Int, Comparable {
    case everyIPv6Address
    case everyIPv4Address
    case address

    static func < (one: Binding, other: Binding) -> Bool { one.rawValue < other.rawValue }
  }

  /// Returns the inode numbers of the sockets that may have answered, the most certain ones first, in the text of `/proc/net/tcp` and
  /// `tcp6`, or of `/proc/net/unix`.
  ///
  /// A TCP connection that was accepted has a socket of its own. Until then it belongs to the socket that listens, whose address may be
  /// this one or every address: the system prefers the former.
  package func inodes(in table: some StringProtocol) -> [Set<UInt64>] {
    switch self {
    case .tcp(let client, let server): Self.inodes(of: server, connectedTo: client, in: table)
    case .unix(let path, _): [Self.inodes(at: path, in: table)]
    }
  }

  private static func inodes(of server: End, connectedTo client: End, in table: some StringProtocol) -> [Set<UInt64>] {
    // Without an entry of the other end, only the addresses show that it is on this machine.
    var isLocal = client.address == server.address || server.address.isLoopback
    var accepted: Set<UInt64> = []
    var listening: (binding: Binding, inodes: Set<UInt64>) = (.everyIPv6Address, [])
    for line in table.split(separator: "\n") {
      // sl local remote state queues timer retransmits user timeout inode …; 0A is a listening socket.
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, let inode = UInt64(fields[9]), let local = bytes(fields[1], port: server.port) else {
        continue
      }
      if fields[3] != "0A" {
        guard IPAddress(local)?.unmapped == server.address, let remote = bytes(fields[2], port: client.port),
          IPAddress(remote)?.unmapped == client.address
        else { continue }
        isLocal = true
        // Until it is accepted, and after its end, it has no inode.
        if inode != 0 { accepted.insert(inode) }
      } else if let binding = binding(of: local, to: server.address), binding >= listening.binding {
        if binding > listening.binding { listening = (binding, []) }
        listening.inodes.insert(inode)
      }
    }
    return isLocal ? [accepted, listening.inodes].filter { !$0.isEmpty } : []
  }

  /// Returns the inode numbers of the sockets that listen at a port, in the text of `/proc/net/tcp` and `tcp6`.
  static func inodes(listeningOn port: UInt16, in table: some StringProtocol) -> Set<UInt64> {
    var found: Set<UInt64> = []
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, fields[3] == "0A", bytes(fields[1], port: port) != nil else { continue }
      if let inode = UInt64(fields[9]) { found.insert(inode) }
    }
    return found
  }

  /// Returns how a socket that listens at an address accepts connections to `server`; nil if it doesn't.
  private static func binding(of local: [UInt8], to server: IPAddress) -> Binding? {
    if local.allSatisfy({ $0 == 0 }) {
      if local.count == 16 { return .everyIPv6Address }
      return server.isIPv6 ? nil : .everyIPv4Address
    }
    return IPAddress(local)?.unmapped == server ? .address : nil
  }

  /// Reads the bytes of an address with this port, from hexadecimal digits: groups of 4 bytes in the byte order of this machine.
  private static func bytes(_ text: some StringProtocol, port: UInt16) -> [UInt8]? {
    let parts = text.split(separator: ":")
    guard parts.count == 2, UInt16(parts[1], radix: 16) == port else { return nil }
    let digits = Array(parts[0].utf8)
    guard digits.count == 8 || digits.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 8) {
      guard let word = UInt32(String(decoding: digits[start..<(start + 8)], as: UTF8.self), radix: 16) else {
        return nil
      }
      withUnsafeBytes(of: word) { bytes += $0 }
    }
    return bytes
  }

  private static func inodes(at path: String, in table: some StringProtocol) -> Set<UInt64> {
    var found: Set<UInt64> = []
    for line in table.split(separator: "\n") {
      // num references protocol flags type state inode path; the path may contain spaces.
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 7, let flags = UInt32(fields[3], radix: 16), flags & 0x10000 != 0,
        line[fields[7].startIndex...].utf8.elementsEqual(path.utf8)
      else { continue }
      if let inode = UInt64(fields[6]) { found.insert(inode) }
    }
    return found
  }
}
