internal import CPlatform
internal import Glibc

/// An IPv4 or IPv6 address: 4 or 16 bytes, the most significant one first.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bytes.
  package let bytes: [UInt8]

  /// Creates an address of 4 or 16 bytes; nil for another number.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// Reads an address as text, without a zone; nil for any other text.
  package init?(_ text: String) {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 {
        self.bytes = bytes
        return
      }
    }
    return nil
  }

  /// The addresses of this machine by the name localhost.
  package static let loopback = [IPAddress([127, 0, 0, 1]), IPAddress([UInt8](repeating: 0, count: 15) + [1])]
    .compactMap(\.self)

  /// Whether this is an IPv6 address.
  package var isIPv6: Bool { bytes.count == 16 }

  /// The IPv4 address that an IPv6 address maps (`::ffff:127.0.0.1`), or this address.
  package var unmapped: IPAddress {
    guard isIPv6, bytes[10] == 0xFF, bytes[11] == 0xFF, bytes[..<10].allSatisfy({ $0 == 0 }) else { return self }
    return IPAddress(bytes[12...]) ?? self
  }

  /// Whether the address is one of this machine that no other machine reaches.
  package var isLoopback: Bool { isIPv6 ? bytes == Self.loopback[1].bytes : bytes[0] == 127 }

  /// The address as text.
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count)) != nil else { return "\(bytes)" }
    return text.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { String(cString: $0) } ?? "" }
  }

  /// Creates a stream socket for addresses like this, close-on-exec and non-blocking.
  package func socket() throws(SystemError) -> Descriptor {
    let number = FaultInjection.refuses() ? -1 : platform_internet_socket(isIPv6 ? 1 : 0)
    guard number >= 0 else { throw .last("socket") }
    return Descriptor(owning: number)
  }

  /// Calls `connect(2)`.
  ///
  /// Returns 0, or -1 with errno: EINPROGRESS if the connection is still being made.
  package func connect(_ socket: Descriptor, port: UInt16) -> Int32 {
    FaultInjection.refuses() ? -1 : platform_connect(socket.number, bytes, bytes.count, port)
  }
}

extension Descriptor {
  /// The error of a socket's connect, once it isn't in progress any more; 0 if it is connected.
  package var socketError: Int32 {
    var error: Int32 = 0
    var length: socklen_t = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(number, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
  }

  /// Whether a TCP socket is connected to itself.
  ///
  /// That happens if a port of this machine isn't in use, and the system chooses the same port for the client.
  package var isConnectedToItself: Bool { platform_is_connected_to_itself(number) != 0 }

  /// Sends bytes to a connected socket, without waiting.
  ///
  /// - Returns: whether all were sent; false with errno.
  package func send(_ bytes: [UInt8]) -> Bool {
    guard !FaultInjection.refuses() else { return false }
    let count = platform_send(number, bytes, bytes.count)
    guard count >= 0, count < bytes.count else { return count == bytes.count }
    errno = EAGAIN
    return false
  }

  /// Receives the available bytes of a connected socket, at most `most`, without waiting.
  ///
  /// - Returns: the bytes; an empty array at the end; nil with errno.
  package func receive(upTo most: Int) -> [UInt8]? {
    guard !FaultInjection.refuses() else { return nil }
    var received = -1
    let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      received = platform_receive_part(number, buffer.baseAddress, buffer.count)
      count = max(0, received)
    }
    return received < 0 ? nil : bytes
  }
}
