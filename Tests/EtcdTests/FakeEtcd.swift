import EventLoop
import Glibc
import Platform

/// A member of etcd of a few lines: a TCP socket on the test's loop, which answers each request as the test says.
final class FakeEtcd {
  /// A request.
  struct Request: Sendable, Hashable, CustomStringConvertible {
    let path: String
    /// The header `Authorization`.
    let token: String?
    /// The header `Content-Type`.
    let type: String?
    let body: String

    var description: String { token.map { "\(path) with \($0)" } ?? path }
  }

  /// The requests so far.
  private(set) var requests: [Request] = []
  /// Its URL.
  let url: String
  private let loop: Loop
  private let poll: Poll
  private let answer: (Request, Reply) -> Void
  private var connections: [ObjectIdentifier: Connection] = [:]

  /// Listens; `answer` answers a request, at once or later.
  init(_ loop: Loop, answer: @escaping (Request, Reply) -> Void) throws {
    self.loop = loop
    self.answer = answer
    let (socket, port) = try Self.bound()
    guard listen(socket.number, 16) == 0 else { throw SystemError(call: "listen", errno: errno) }
    url = "http://127.0.0.1:\(port)"
    poll = try Poll(loop: loop, descriptor: socket)
    try poll.start(.readable) { [unowned self] _ in accept() }
  }

  /// A socket that doesn't listen yet, so that connections to its port are refused.
  static func bound() throws -> (Descriptor, port: UInt16) {
    let socket = Descriptor(
      owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket.number, $0, size) == 0 ? getsockname(socket.number, $0, &size) : -1
      }
    }
    guard status == 0 else { throw SystemError(call: "bind", errno: errno) }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  private func accept() {
    let number = Glibc.accept(poll.descriptor.number, nil, nil)
    guard number >= 0, let stream = try? Stream(loop: loop, descriptor: Descriptor(owning: number)) else { return }
    let connection = Connection(stream)
    let name = ObjectIdentifier(connection)
    connections[name] = connection
    connection.onRequest = { [unowned self] request, reply in
      requests.append(request)
      answer(request, reply)
    }
    connection.onEnd = { [unowned self] in connections[name] = nil }
    stream.resumeReading()
  }
}

/// Answers one request.
struct Reply {
  fileprivate let stream: Stream

  /// The whole answer.
  func send(_ body: String, status: Int = 200) {
    write("HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// The head of an answer whose parts follow.
  func begin() { write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n") }

  /// A part, which reaches the client's callback by itself.
  func part(_ text: String) { write("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n") }

  /// No further part.
  func end() { write("0\r\n\r\n") }

  /// Closes the connection.
  func close() { stream.close() }

  private func write(_ text: String) { stream.write(Array(text.utf8)) }
}

/// A client's connection.
private final class Connection {
  var onRequest: ((FakeEtcd.Request, Reply) -> Void)?
  var onEnd: (() -> Void)?
  private let stream: Stream
  private var text = ""

  init(_ stream: Stream) {
    self.stream = stream
    stream.onRead = { [unowned self] bytes in
      text += String(decoding: bytes, as: UTF8.self)
      while let request = next() { onRequest?(request, Reply(stream: self.stream)) }
    }
    stream.onEnd = { [unowned self] in onEnd?() }
    stream.onError = { [unowned self] _ in onEnd?() }
  }

  private func next() -> FakeEtcd.Request? {
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let lines = parts[0].split(separator: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let sides = line.split(separator: ": ", maxSplits: 1)
      if sides.count == 2 { headers[sides[0].lowercased()] = String(sides[1]) }
    }
    let length = headers["content-length"].flatMap(Int.init) ?? 0
    guard parts[1].utf8.count >= length else { return nil }
    let body = String(decoding: parts[1].utf8.prefix(length), as: UTF8.self)
    text = String(decoding: parts[1].utf8.dropFirst(length), as: UTF8.self)
    return FakeEtcd.Request(
      path: String(lines[0].split(separator: " ")[1]), token: headers["authorization"], type: headers["content-type"],
      body: body)
  }
}
