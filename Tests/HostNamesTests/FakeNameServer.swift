import EventLoop
import Glibc
import Platform

/// A name server on a loop, over UDP and TCP.
final class FakeNameServer {
  /// A question to a server: a name, and whether its IPv6 addresses are asked for.
  struct Question: Hashable {
    let server: String
    let port: UInt16
    let name: String
    let isIPv6: Bool
    let isTCP: Bool
  }

  /// An answer.
  enum Answer {
    case addresses([String])
    /// A response code instead of addresses.
    case code(UInt8)
    /// The rest is told over TCP.
    case truncated
    case none
  }

  let port: UInt16
  private let address: String
  private(set) var questions: [Question] = []
  private let loop: Loop
  private let answer: (Question) -> Answer
  private var polls: [Poll] = []

  /// Serves at an address of this machine, at any port, or that of another server.
  init(loop: Loop, at address: String, port: UInt16, answer: @escaping (Question) -> Answer) throws {
    self.loop = loop
    self.address = address
    self.answer = answer
    // A port that is free for TCP may be used for UDP by another program.
    var pair: (udp: Descriptor, tcp: Descriptor, port: UInt16)?
    for _ in 0..<100 where pair == nil {
      let (udp, used) = try Self.bound(SOCK_DGRAM, address, port)
      guard let (tcp, _) = try? Self.bound(SOCK_STREAM, address, used) else { continue }
      pair = (udp, tcp, used)
    }
    guard let (udp, tcp, used) = pair else { throw SystemError.last("bind") }
    self.port = used
    guard listen(tcp.number, 8) == 0 else { throw SystemError.last("listen") }
    try watch(udp) { [unowned self] in receive(udp) }
    try watch(tcp) { [unowned self] in accept(tcp) }
  }

  /// Ends the service.
  func close() {
    for poll in polls { poll.close() }
    polls = []
  }

  private static func bound(_ type: __socket_type, _ address: String, _ port: UInt16) throws -> (Descriptor, UInt16) {
    let socket = Descriptor(owning: socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else { throw SystemError.last("inet_pton") }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket.number, $0, length) == 0 ? getsockname(socket.number, $0, &length) : -1
      }
    }
    guard status == 0 else { throw SystemError.last("bind") }
    return (socket, UInt16(bigEndian: name.sin_port))
  }

  private func watch(_ socket: Descriptor, _ action: @escaping () -> Void) throws {
    let poll = try Poll(loop: loop, descriptor: socket, name: "server")
    try poll.start(.readable) { _ in action() }
    polls.append(poll)
  }

  private func receive(_ udp: Descriptor) {
    var buffer = [UInt8](repeating: 0, count: 512)
    var peer = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutablePointer(to: &peer) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
        let count = recvfrom(udp.number, &buffer, buffer.count, 0, peer, &length)
        guard count > 0, let answer = message(to: Array(buffer[..<count]), isTCP: false) else { return }
        _ = sendto(udp.number, answer, answer.count, 0, peer, length)
      }
    }
  }

  private func accept(_ tcp: Descriptor) {
    let connection = Descriptor(owning: Glibc.accept(tcp.number, nil, nil))
    var bytes: [UInt8] = []
    try? watch(connection) { [unowned self] in
      var buffer = [UInt8](repeating: 0, count: 512)
      let count = recv(connection.number, &buffer, buffer.count, 0)
      guard count > 0 else { return connection.close() }
      bytes += buffer[..<count]
      while bytes.count >= 2, case let end = 2 + Int(bytes[0]) << 8 + Int(bytes[1]), bytes.count >= end {
        if let answer = message(to: Array(bytes[2..<end]), isTCP: true) {
          let frame = [UInt8(answer.count >> 8), UInt8(answer.count & 0xFF)] + answer
          _ = send(connection.number, frame, frame.count, Int32(MSG_NOSIGNAL))
        }
        bytes.removeFirst(end)
      }
    }
  }

  private func message(to bytes: [UInt8], isTCP: Bool) -> [UInt8]? {
    var labels: [String] = []
    var place = 12
    while bytes[place] != 0 {
      labels.append(String(decoding: bytes[(place + 1)...].prefix(Int(bytes[place])), as: UTF8.self))
      place += 1 + Int(bytes[place])
    }
    let question = Question(
      server: address, port: port, name: labels.joined(separator: "."), isIPv6: bytes[place + 2] == 28, isTCP: isTCP)
    questions.append(question)
    var message = Array(bytes[..<(place + 5)])
    message[2] |= 0x80
    message[3] = 0x80
    switch answer(question) {
    case .addresses(let texts):
      let addresses = texts.compactMap { IPAddress($0) }.filter { $0.isIPv6 == question.isIPv6 }
      message[7] = UInt8(addresses.count)
      for address in addresses {
        // The name is a pointer to the name of the question.
        message += [0xC0, 12] + message[(place + 1)..<(place + 5)] + [0, 0, 0, 60, 0, UInt8(address.bytes.count)]
        message += address.bytes
      }
    case .code(let code): message[3] |= code
    case .truncated: message[2] |= 2
    case .none: return nil
    }
    return message
  }
}
