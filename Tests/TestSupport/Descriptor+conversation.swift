import Glibc
package import Platform

/// Two connected Unix stream sockets.
///
/// If they keep packets, each write is one packet, which one read returns.
package func socketPair(keepsPackets: Bool = false) -> (Descriptor, Descriptor) {
  var ends: [Int32] = [-1, -1]
  let type = Int32((keepsPackets ? SOCK_SEQPACKET : SOCK_STREAM).rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  precondition(socketpair(AF_UNIX, type, 0, &ends) == 0)
  return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
}

/// A blocking client's connection, or nil with errno.
package func connect(to path: String, datagram: Bool = false) -> Descriptor? {
  let type = Int32((datagram ? SOCK_DGRAM : SOCK_STREAM).rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  let descriptor = Descriptor(owning: socket(AF_UNIX, type, 0))
  guard let address = SocketAddress(path: path), address.connect(descriptor) == 0 else { return nil }
  return descriptor
}

extension Descriptor {
  /// Writes the complete text, or traps.
  package func send(_ text: String) {
    let bytes = Array(text.utf8)
    precondition(Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// Makes reads and writes return at once if the descriptor isn't ready.
  package func makeNonBlocking() { precondition(fcntl(number, F_SETFL, O_NONBLOCK) == 0) }

  /// Reads to the end, blocking.
  ///
  /// Works for pipes and sockets.
  package func readToEnd() -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += buffer[..<count]
    }
  }

  /// Whether the number is open in this process.
  package static func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }

  /// Writes a few bytes to a pipe, for which `send` doesn't work.
  package func send(_ text: String, pipe _: Bool) {
    let bytes = Array(text.utf8)
    precondition(Glibc.write(number, bytes, bytes.count) == bytes.count)
  }
}

/// The system's name of a descriptor's file.
package func descriptorTarget(_ number: Int32) -> String? {
  var buffer = [CChar](repeating: 0, count: 256)
  let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
  guard count > 0 else { return nil }
  return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
