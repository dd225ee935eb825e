import Glibc
import InitJSON
import InitModel
import InitWire
import InitWords

@testable import Platform

/// A client that speaks frames over a plain blocking socket.
final class Client {
  /// The supervisor closed the connection.
  struct Ended: Error {}

  private let socket: Descriptor
  private var decoder = FrameDecoder(limit: Frame.largestPayload)
  private var inbox: [Envelope] = []
  private var lastID: Int64 = 0

  /// Connects, and sends hello unless `saysHello` is false.
  convenience init(_ stage: Stage, name: String = "test", saysHello: Bool = true) throws {
    try self.init(path: stage.socketPath, name: name, saysHello: saysHello)
  }

  /// Connects to a path, and sends hello unless `saysHello` is false.
  init(path: String, name: String = "test", saysHello: Bool = true) throws {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    socket = Descriptor(owning: Glibc.socket(AF_UNIX, type, 0))
    guard let address = SocketAddress(path: path), address.connect(socket) == 0 else {
      throw SystemError.last("connect", path)
    }
    var patience = timeval(tv_sec: Patience.seconds, tv_usec: 0)
    setsockopt(socket.number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    if saysHello { try greet(as: name) }
  }

  /// Sends hello.
  @discardableResult
  func greet(as name: String = "test") throws -> HelloRequest.Result {
    try call(HelloRequest(client: HelloRequest.Program(name: name, version: "1")))
  }

  // MARK: Out

  /// Sends raw bytes; errors are ignored.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { return }
        throw SystemError.last("send")
      }
      sent += count
    }
  }

  /// Sends a request, and returns the id of its answer.
  func request(_ request: some InitWire.Request) throws -> RequestID {
    lastID += 1
    try send(Message.request(id: .number(lastID), request))
    return .number(lastID)
  }

  /// Closes the writing side, and continues to read.
  func finishSending() { shutdown(socket.number, Int32(SHUT_WR)) }

  /// Disconnects.
  func close() { socket.close() }

  // MARK: In

  /// Sends a request and returns its result.
  @discardableResult
  func call<Sent: ClientRequest>(_ request: Sent) throws -> Sent.Result {
    try result(of: self.request(request))
  }

  /// The result of a request.
  @discardableResult
  func result<Result: JSONValue>(of id: RequestID, as _: Result.Type = Result.self) throws -> Result {
    switch try outcome(of: id) {
    case .result(let result): return try result.read(Result.self)
    case .error(let error): throw error
    }
  }

  /// The error that a request is answered with; `nil` for a result.
  func refusal(of request: some ClientRequest) throws -> WireError? { try refusal(of: self.request(request)) }

  func refusal(of id: RequestID?) throws -> WireError? {
    if case .error(let error) = try outcome(of: id) { error } else { nil }
  }

  private func outcome(of id: RequestID?) throws -> Envelope.Outcome {
    try next { if case .response(id, let outcome) = $0 { outcome } else { nil } }
  }

  /// The next event for which `match` returns a value.
  func event<Match>(where match: (Status.Event.Body) -> Match?) throws -> Match {
    try next { envelope in
      guard case .notification("event", let params) = envelope,
        let event = try? Status.Event(params: params)
      else { return nil }
      return match(event.body)
    }
  }

  /// Waits until an event shows an initializer with this status.
  func initializer(_ name: String, is status: InitializerStatus) throws {
    try event { if case .initializer(let shape) = $0, shape.name == name, shape.status == status { () } else { nil } }
  }

  /// The next run that is requested of this worker.
  func nextRun() throws -> RunRequest { try next(where: \.run) }

  /// The next run that this worker is requested to cancel.
  func nextCancel() throws -> CancelNotification { try next(where: \.cancel) }

  /// Answers a run.
  func finish(_ run: RunRequest, _ error: WireError? = nil) throws { try finish(run: run.run, error) }

  /// Answers the run of this number.
  func finish(run: Int, _ error: WireError? = nil) throws {
    let id = RequestID.string("run-\(run)")
    try send(error.map { try Message.answer(id: id, error: $0) } ?? Message.answer(id: id, result: EmptyResult()))
  }

  /// The next message for which `match` returns a value; others are kept for later calls.
  func next<Match>(where match: (Envelope) -> Match?) throws -> Match {
    for (place, envelope) in inbox.enumerated() {
      guard let found = match(envelope) else { continue }
      inbox.remove(at: place)
      return found
    }
    while true {
      let envelope = try receive()
      if let found = match(envelope) { return found }
      inbox.append(envelope)
    }
  }

  /// The messages that haven't been returned yet.
  ///
  /// Returns the messages that have arrived, without waiting for further messages.
  func arrived() throws -> [Envelope] {
    while try read(MSG_DONTWAIT) {}
    while let payload = try decoder.next() { inbox.append(Envelope(payload: payload)) }
    defer { inbox = [] }
    return inbox
  }

  /// Whether the supervisor closes the connection.
  ///
  /// Messages before that are kept for later calls.
  func ends() throws -> Bool {
    do {
      while true { inbox.append(try receive()) }
    } catch is Ended {
      return true
    }
  }

  private func receive() throws -> Envelope {
    while true {
      if let payload = try decoder.next() { return Envelope(payload: payload) }
      _ = try read(0)
    }
  }

  /// Reads once.
  ///
  /// Returns false if there is nothing to read and the flags say not to wait.
  private func read(_ flags: Int) throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = recv(socket.number, &buffer, buffer.count, Int32(flags))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, flags == MSG_DONTWAIT { return false }
      if count == 0 || (count < 0 && errno == ECONNRESET) { throw Ended() }
      guard count > 0 else { throw SystemError.last("recv") }
      decoder.append(buffer[..<count])
      return true
    }
  }
}

extension Envelope {
  /// The run that this message requests.
  var run: RunRequest? {
    guard case .request(_, RunRequest.method, let params) = self else { return nil }
    return try? RunRequest(params: params)
  }

  /// The run that this message cancels.
  var cancel: CancelNotification? {
    guard case .notification(CancelNotification.method, let params) = self else { return nil }
    return try? CancelNotification(params: params)
  }
}
