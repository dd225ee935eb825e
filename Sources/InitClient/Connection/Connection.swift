internal import EventLoop
internal import InitJSON
internal import InitModel
internal import InitWire
internal import Platform

// Terms. A *call* is a request of ours that hasn't been answered. A message is *held* while it may not be sent yet. The *complaint* is an
// error of the supervisor whose id is null: it answers no specific request. Invariants:
//
// 1. Hello is sent at once, and the first requests follow without waiting for its answer. A message that is longer than the supervisor
//    accepts before hello is held, together with all later messages, until the answer gives the limit.
// 2. Messages are handled in the order in which they arrive, each before the next is read.
// 3. A call ends exactly once: by its answer, by its deadline, or by the end of the connection. The answer to an abandoned call is dropped.
// 4. The end is reported once: first every call fails with the reason, in the order they were made, then `onEnd` is called. If there was a
//    complaint, it is the reason.
// 5. If a write fails, the supervisor's last messages are still read, because they may contain the reason. Then the connection ends.
// 6. Handlers may do anything, even close the connection; then the remaining input is dropped.
// 7. Memory: frames stay below 16 MiB (protocol §1); callers bound the number of calls; progress is dropped while more than
//    `queuedBytesForProgress` wait for the supervisor.

/// One connection to a supervisor, on its loop's thread: it sends and receives messages, and matches answers to calls.
final class Connection {
  /// How long a supervisor may take to answer hello.
  static let helloTimeout = Duration.seconds(10)
  /// How long to read after a failed write.
  static let lastWordsTimeout = Duration.seconds(1)
  /// Above this number of queued bytes, progress isn't sent.
  static let queuedBytesForProgress = 1 << 20

  /// An event arrived: decoded, and its original text.
  var onEvent: ((Status.Event, RawJSON) -> Void)?
  /// The supervisor requests a run; the answer must have this id.
  var onRun: ((RequestID, RunRequest) -> Void)?
  /// The supervisor cancels a run.
  var onCancel: ((CancelNotification) -> Void)?
  /// The supervisor's requests to its coordinator, whose answers must have these ids, and the end of a claim.
  var onClaim: ((RequestID, ClaimRequest) -> Void)?
  var onComplete: ((RequestID, CompleteRequest) -> Void)?
  var onUnclaim: ((UnclaimNotification) -> Void)?
  /// The connection ended, for this reason.
  var onEnd: ((ClientError) -> Void)?

  /// The supervisor's answer to hello, once it has arrived.
  private(set) var hello: HelloRequest.Result?
  /// The reason why the connection ended, if it has.
  private(set) var endReason: ClientError?
  /// When the last bytes came.
  private(set) var heard = Duration.zero
  /// Whether the connection is open.
  var isOpen: Bool { stream != nil }

  /// The supervisor's process, if it runs and has a number here.
  ///
  /// Another process may listen for the supervisor, e.g. a service manager. So the number that the supervisor knows itself by must be that
  /// of the process at the other end, here or in a container.
  var process: PeerProcess? {
    guard let pid = stream?.peer?.pid, let own = hello?.pid, let process = PeerProcess(pid: pid) else { return nil }
    return own == Int(pid) || ProcessTable.innermostNumber(of: pid).map(Int.init) == own ? process : nil
  }

  private let loop: Loop
  private let path: String
  let program: HelloRequest.Program
  private var stream: Stream?
  private var decoder = FrameDecoder(limit: Frame.largestPayload)
  private var helloTimer: Timer?
  private(set) var lastWordsTimer: Timer?
  /// The id of the last request.
  private(set) var lastID: Int64 = 0
  private var calls: [Int64: Call] = [:]
  private var held: [[UInt8]] = []
  private var complaint: WireError?

  private struct Call {
    let then: (CallOutcome) -> Void
    /// The timer for the deadline, if there is one.
    let timer: Timer?
  }

  /// Creates a connection that isn't open yet; hello sends `program`.
  init(loop: Loop, path: String, program: HelloRequest.Program) {
    self.loop = loop
    self.path = path
    self.program = program
  }

  /// Connects and sends hello.
  ///
  /// `then` gets the answer to hello, or the error.
  ///
  /// - Throws: `ClientError.unreachable`; the caller may retry.
  func open(helloTimeout: Duration = helloTimeout, then: @escaping (CallOutcome) -> Void = { _ in })
    throws(ClientError)
  {
    let stream: Stream
    do throws(ConnectError) {
      stream = try Stream.connect(loop: loop, path: path)
    } catch {
      throw .unreachable(error)
    }
    decoder = FrameDecoder(limit: Frame.largestPayload)
    hello = nil
    complaint = nil
    endReason = nil
    held = []
    self.stream = stream
    stream.onRead = { [weak self] in self?.received($0) }
    stream.onEnd = { [weak self] in self?.peerEnded() }
    stream.onError = { [weak self] in self?.failed($0) }
    stream.resumeReading()

    let timer = Timer(loop: loop, name: "hello")
    timer.start(after: helloTimeout) { [weak self] in
      guard let self else { return }
      end(.silent(path: self.path, after: helloTimeout))
    }
    helloTimer = timer
    call(HelloRequest(client: program), id: reserveID()) { [weak self] result in
      self?.helloAnswered(result)
      then(result)
    }
  }

  /// Reserves a new id for a call.
  func reserveID() -> Int64 {
    lastID += 1
    return lastID
  }

  /// Sends a request.
  ///
  /// `then` gets the outcome once, possibly at once.
  ///
  /// `within` is the maximum time for the answer; nil for no limit.
  func call(
    _ request: some ClientRequest, id: Int64, within: Duration? = nil, then: @escaping (CallOutcome) -> Void
  ) {
    guard isOpen else { return then(.failure(endReason ?? .closed)) }
    let frame: [UInt8]
    do throws(Message.Fault) {
      frame = try Message.request(id: .number(id), request, limit: hello?.limits.frameBytes ?? Frame.largestPayload)
    } catch {
      return then(.failure(.unsendable(error)))
    }
    let timer = within.map { within in
      let timer = Timer(loop: loop, name: "call \(id)")
      timer.start(after: within) { [weak self] in self?.finish(id, .failure(.timedOut(after: within))) }
      return timer
    }
    calls[id] = Call(then: then, timer: timer)
    send(frame)
  }

  /// Abandons a call: it fails as cancelled, and its answer will be dropped.
  func abandon(_ id: Int64) { finish(id, .failure(.cancelled)) }

  /// Answers a run with success, or with an error.
  func answer(_ id: RequestID, _ outcome: Result<RawJSON, WireError>) {
    let limit = hello?.limits.frameBytes ?? Frame.largestPayload
    let frame: [UInt8]? =
      switch outcome {
      case .success(let result):
        (try? Message.answer(id: id, result: result, limit: limit))
          ?? (try? Message.answer(id: id, error: WireError(code: 1, message: "its output is too long")))
      case .failure(let error):
        // If a message is too long for the supervisor, the run must still be answered.
        (try? Message.answer(id: id, error: error, limit: limit))
          ?? (try? Message.answer(id: id, error: WireError(code: error.code, message: "the message is too long")))
      }
    if let frame { send(frame) }
  }

  /// Reports on a run; dropped while the supervisor doesn't read (rule 7), or if it can't be written as JSON or is too long.
  func report(_ progress: ProgressNotification) {
    guard let stream, stream.queuedBytes <= Self.queuedBytesForProgress else { return }
    let limit = hello?.limits.frameBytes ?? Frame.largestPayloadBeforeHello
    if let frame = try? Message.notification(progress, limit: limit) { send(frame) }
  }

  /// Sends a notification; dropped if it can't be written as JSON or is too long.
  func notify(_ notification: some Notification) {
    let limit = hello?.limits.frameBytes ?? Frame.largestPayloadBeforeHello
    if let frame = try? Message.notification(notification, limit: limit) { send(frame) }
  }

  /// Closes the connection.
  ///
  /// Open calls fail with `closed`. Further calls of this method have no effect.
  func close() { end(.closed) }

  // MARK: Out

  private func send(_ frame: [UInt8]) {
    let isShort = frame.count - Frame.headerBytes <= Frame.largestPayloadBeforeHello
    if hello != nil || (held.isEmpty && isShort) {
      stream?.write(frame)
    } else {
      held.append(frame)
    }
  }

  private func helloAnswered(_ result: CallOutcome) {
    helloTimer = nil
    switch result {
    case .failure(let error): end(error)
    case .success(let answer):
      do throws(ShapeFault) {
        hello = try answer.read()
      } catch {
        return end(.notASupervisor(path: path, reason: "its answer to hello can't be read: \(error)"))
      }
      let frames = held
      held = []
      for frame in frames { stream?.write(frame) }
    }
  }

  // MARK: In

  private func received(_ bytes: UnsafeRawBufferPointer) {
    heard = loop.now
    decoder.append(bytes)
    do throws(FrameFault) {
      while isOpen, let payload = try decoder.next() { handle(Envelope(payload: payload)) }
    } catch {
      end(.notASupervisor(path: path, reason: "\(error)"))
    }
  }

  private func handle(_ envelope: Envelope) {
    switch envelope {
    case .response(id: nil, outcome: .error(let error)): complaint = error
    case .response(id: .number(let id)?, let outcome):
      switch outcome {
      case .result(let result): finish(id, .success(result))
      case .error(let error): finish(id, .failure(.refused(error)))
      }
    // An answer without a request.
    case .response: return
    case .request(let id, let method, let params): handle(request: method, id, params)
    case .notification(let method, let params): handle(notification: method, params)
    case .invalid(_, let error): end(.notASupervisor(path: path, reason: error.message))
    }
  }

  private func handle(request method: String, _ id: RequestID, _ params: RawJSON?) {
    do throws(WireError) {
      switch method {
      case RunRequest.method: try deliver(to: onRun, id, params, method)
      case ClaimRequest.method: try deliver(to: onClaim, id, params, method)
      case CompleteRequest.method: try deliver(to: onComplete, id, params, method)
      default: throw .methodNotFound(method)
      }
    } catch {
      answer(id, .failure(error))
    }
  }

  private func deliver<Sent: Request>(
    to receiver: ((RequestID, Sent) -> Void)?, _ id: RequestID, _ params: RawJSON?, _ method: String
  ) throws(WireError) {
    let request = try Sent(params: params)
    guard let receiver else { throw .methodNotFound(method) }
    receiver(id, request)
  }

  /// Handles a notification; one that is unknown, or that can't be read, comes from a later version.
  private func handle(notification method: String, _ params: RawJSON?) {
    switch method {
    case Status.Event.method:
      if let event = try? Status.Event(params: params) { onEvent?(event, params ?? .emptyObject) }
    case CancelNotification.method: if let cancel = try? CancelNotification(params: params) { onCancel?(cancel) }
    case UnclaimNotification.method: if let unclaim = try? UnclaimNotification(params: params) { onUnclaim?(unclaim) }
    default: break
    }
  }

  private func finish(_ id: Int64, _ result: CallOutcome) {
    guard let call = calls.removeValue(forKey: id) else { return }
    call.timer?.close()
    call.then(result)
  }

  // MARK: The end

  private func peerEnded() {
    end(
      .lost(path: path, reason: decoder.isMidFrame ? "it ended in the middle of a message" : "the supervisor closed it")
    )
  }

  private func failed(_ error: SystemError) {
    let reason = ClientError.lost(path: path, reason: "\(error.call): \(error.reason)")
    guard error.call == "write" else { return end(reason) }
    let timer = Timer(loop: loop, name: "last words")
    timer.start(after: Self.lastWordsTimeout) { [weak self] in self?.end(reason) }
    lastWordsTimer = timer
  }

  func end(_ reason: ClientError) {
    guard let stream else { return }
    self.stream = nil
    stream.close()
    helloTimer = nil
    lastWordsTimer = nil
    held = []
    let reason = complaint.map(ClientError.refused) ?? reason
    endReason = reason
    let unanswered = calls.sorted { $0.key < $1.key }
    calls = [:]
    for (_, call) in unanswered {
      call.timer?.close()
      call.then(.failure(reason))
    }
    onEnd?(reason)
  }
}

extension ClientError {
  fileprivate static func unsendable(_ fault: Message.Fault) -> ClientError {
    switch fault {
    case .frame(let fault): .unsendable("\(fault)")
    case .unencodable(let reason): .unsendable(reason)
    }
  }
}
