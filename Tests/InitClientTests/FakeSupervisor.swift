import EventLoop
import Glibc
import InitClient
import InitJSON
import InitModel
import InitWire
import InitWords
import Platform
import TestSupport
import Testing

/// A supervisor of a few lines: a real Unix socket, real bytes, and a script that each test writes for it.
///
/// The script runs on a thread that may block; its failures are the test's.
enum FakeSupervisor {
  /// How long a step may take before the test fails.
  static let deadline = Duration.seconds(300)

  private static let threads = ThreadExecutor(name: "fake", maximumThreads: 512)

  /// Runs `script` as the supervisor and `client` as its client at the socket's path, until both have ended.
  static func play<Result: Sendable>(
    _ script: @escaping @Sendable (Door) throws -> Void, _ client: @escaping @Sendable (String) async throws -> Result
  ) async throws -> Result {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      let door = try Door(path: path)
      let playing = Task(executorPreference: threads) {
        defer { door.close() }
        try script(door)
      }
      let acting = Task { try await client(path) }
      // If both fail, the script's failure is the cause.
      do { try await playing.value } catch {
        acting.cancel()
        throw error
      }
      return try await acting.value
    }
  }

  /// Creates a private directory with a path short enough for a socket.
  static func withTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let directory = TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory.path)
  }
}

/// An unexpected message or event in a script.
struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The listening socket.
final class Door: Sendable {
  private let socket: Descriptor

  /// Listens at an unused path.
  init(path: String) throws {
    let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    socket = Descriptor(owning: number)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0, listen(number, 16) == 0 else { throw Unexpected("cannot listen at \(path): \(errno)") }
    setDeadline(number)
  }

  /// Returns the next connection.
  func accept() throws -> Peer {
    let number = Glibc.accept(socket.number, nil, nil)
    guard number >= 0 else { throw Unexpected("no client connects: \(errno)") }
    setDeadline(number)
    return Peer(Descriptor(owning: number))
  }

  /// Whether a client has connected that wasn't accepted.
  var hasCaller: Bool {
    var readable = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
    return poll(&readable, 1, 0) == 1
  }

  /// Returns the next connection, after its hello.
  func greet() throws -> Peer {
    let peer = try accept()
    try peer.greet()
    return peer
  }

  func close() { socket.close() }
}

/// A point at which a script waits until the client's side has also reached it.
final class Gate: Sendable {
  private let ends: (read: Descriptor, write: Descriptor)

  init() throws { ends = try Descriptor.pipe() }

  func open() {
    var byte: UInt8 = 1
    _ = Glibc.write(ends.write.number, &byte, 1)
  }

  func wait() throws {
    var readable = pollfd(fd: ends.read.number, events: Int16(POLLIN), revents: 0)
    guard poll(&readable, 1, Int32(FakeSupervisor.deadline.components.seconds) * 1000) == 1 else {
      throw Unexpected("the gate isn't opened")
    }
    var byte: UInt8 = 0
    _ = Glibc.read(ends.read.number, &byte, 1)
  }
}

private func setDeadline(_ socket: Int32) {
  var time = timeval(tv_sec: Int(FakeSupervisor.deadline.components.seconds), tv_usec: 0)
  for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
    setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }
}

/// One connection, as the script sees it; on the script's thread.
final class Peer {
  private let socket: Descriptor
  private var decoder = FrameDecoder(limit: Frame.largestPayload)

  init(_ socket: Descriptor) { self.socket = socket }

  func close() { socket.close() }

  // MARK: In

  /// Returns the next message, or nil at the end.
  func receive() throws -> Envelope? {
    while true {
      if let payload = try decoder.next() { return Envelope(payload: payload) }
      guard let bytes = try read() else { return nil }
      decoder.append(bytes)
    }
  }

  /// Returns the next message, which must be this request.
  @discardableResult
  func expect<Sent: ClientRequest>(_: Sent.Type) throws -> (id: RequestID, request: Sent) {
    guard case .request(let id, Sent.method, let params) = try receive() else {
      throw Unexpected("expected \(Sent.method)")
    }
    return (id, try Sent(params: params))
  }

  /// Returns the next message, which must be the answer to a request of ours.
  func expectAnswer(_ id: RequestID) throws -> Envelope.Outcome {
    let message = try receive()
    guard case .response(id, let outcome) = message else {
      throw Unexpected("expected an answer, got \(message as Any)")
    }
    return outcome
  }

  /// Expects the end of the connection, which must be next.
  func expectEnd() throws {
    if let message = try receive() { throw Unexpected("expected the end, got \(message)") }
  }

  // MARK: Out

  /// Stops reading: from now on the client can't send any more, but can still receive.
  func stopReading() { shutdown(socket.number, Int32(SHUT_RD)) }

  func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Unexpected("cannot write: \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a message as text, without the braces and `jsonrpc`.
  func send(_ members: String) throws {
    try write(try Frame.encode(Array("{\"jsonrpc\":\"2.0\",\(members)}".utf8)))
  }

  func answer(_ id: RequestID, _ result: some JSONValue) throws {
    try write(try Message.answer(id: id, result: result))
  }

  func refuse(_ id: RequestID?, _ error: WireError) throws {
    try write(try Message.answer(id: id, error: error))
  }

  /// Expects a request and answers it.
  @discardableResult
  func reply<Sent: ClientRequest>(_ type: Sent.Type, _ result: Sent.Result) throws -> Sent {
    let (id, request) = try expect(type)
    try answer(id, result)
    return request
  }

  func greet() throws { try reply(HelloRequest.self, HelloRequest.Result.fake) }

  func event(_ seq: Int, _ body: Status.Event.Body) throws {
    try write(try Message.notification(Status.Event(seq: seq, time: 1, body: body)))
  }

  func event(unnumbered body: Status.Event.Body) throws {
    try write(try Message.notification(Status.Event(unnumbered: body)))
  }

  func run(_ number: Int, _ initializer: String, inputs: [String: RawJSON] = [:]) throws {
    let params = RunRequest(
      run: number, initializer: initializer, pass: 1, phase: .launch, attempt: 1, inputs: inputs)
    try write(try Message.request(id: .string("run-\(number)"), params))
  }

  func cancel(_ number: Int) throws {
    try write(try Message.notification(CancelNotification(run: number, reason: .deactivated)))
  }

  /// Whether the script has read everything that was sent.
  var hasNothing: Bool {
    var byte: UInt8 = 0
    return decoder.bufferedBytes == 0
      && recv(socket.number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0
  }

  private func read() throws -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = buffer.withUnsafeMutableBytes { recv(socket.number, $0.baseAddress, $0.count, 0) }
    if count == 0 || count < 0 && errno == ECONNRESET { return nil }
    guard count > 0 else { throw Unexpected("nothing comes: \(errno)") }
    return Array(buffer[..<count])
  }
}

extension HelloRequest.Result {
  /// The answer to hello.
  static let fake = HelloRequest.Result(
    protocolVersion: 1, server: HelloRequest.Program(name: "fake", version: "1"), instance: "6f0c", pid: 4711,
    limits: Limits(frameBytes: 1024 * 1024))
}

extension Status {
  /// Creates an empty Status.
  static func fake(seq: Int = 0) -> Status {
    Status(
      seq: seq, time: 1, instance: "6f0c", pid: 4711, uptime: 1, lifecycle: .inactive, launch: Status.State(.pending),
      active: Status.State(.pending), composite: Status.State(.pending), holds: 0, concurrency: 1, initializers: [],
      workers: [])
  }
}

extension Client {
  /// One loop for all tests of this process, in a separate thread.
  static let loop = Result { () throws(SystemError) in try Loop.startedInThread(name: "test loop") }

  static func test(_ path: String, within: Duration? = nil) async throws -> Client {
    try await Client.connect(
      loop: try loop.get(), path: path, program: HelloRequest.Program(name: "test", version: "1"), within: within)
  }
}
