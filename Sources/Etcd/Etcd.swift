internal import InitWire
package import Libuv

/// A client of etcd: its v3 API, through its JSON gateway. With several endpoints, a request goes to the next one if one doesn't answer.
///
/// It runs on its loop's thread.
package actor Etcd {
  /// The loop as an executor.
  package nonisolated let loop: Loop
  /// The loop.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let endpoints: [String]
  private let http: HTTP
  /// The endpoint that is asked first: the last one that has answered.
  private var first = 0

  /// How long one endpoint may take to answer.
  private static let patience = Duration.seconds(3)

  /// - Parameters:
  ///   - endpoints: URLs, e.g. `http://127.0.0.1:2379`; at least one.
  ///   - security: the files for TLS.
  package init(loop: Loop, endpoints: [String], security: HTTP.Security = HTTP.Security()) {
    (self.loop, self.endpoints) = (loop, endpoints)
    http = HTTP(loop: loop, security: security)
  }

  // MARK: Keys

  /// How many keys one answer may have.
  private static let page = 1000

  /// The keys of a range with their values, in order, as they were at the revision.
  ///
  /// - Throws: `EtcdError`.
  package func list(_ range: EtcdRange) async throws(EtcdError) -> (entries: [EtcdEntry], revision: Int) {
    var entries: [EtcdEntry] = []
    var (rest, revision) = (range, 0)
    while true {
      let answer = try await call(
        "/v3/kv/range",
        #"{\#(Self.members(rest)),"limit":"\#(Self.page)","revision":"\#(revision)"}"#, as: RangeJSON.self)
      if revision == 0 { revision = answer.header?.revision.flatMap(Int.init) ?? 0 }
      entries += (answer.kvs ?? []).map(\.entry)
      guard answer.more == true, let last = entries.last else { return (entries, revision) }
      rest = range.after(last.key)
    }
  }

  private static func members(_ range: EtcdRange) -> String {
    #""key":"\#(Base64.encode(range.first))","range_end":"\#(Base64.encode(range.end))""#
  }

  /// Executes operations if all conditions hold, and others if not.
  ///
  /// - Throws: `EtcdError`. After `unreachable` it may have been executed.
  package func transaction(
    if conditions: [EtcdCondition], then operations: [EtcdOperation], else others: [EtcdOperation] = []
  ) async throws(EtcdError) -> EtcdOutcome {
    let body = """
      {"compare":[\(conditions.map(Self.text).joined(separator: ","))],"success":[\(operations.map(Self.text).joined(separator: ","))],\
      "failure":[\(others.map(Self.text).joined(separator: ","))]}
      """
    let answer = try await call("/v3/kv/txn", body, as: TransactionJSON.self)
    let found = (answer.responses ?? []).compactMap(\.range).map { $0.kvs?.first?.entry }
    return EtcdOutcome(
      succeeded: answer.succeeded ?? false, revision: answer.header?.revision.flatMap(Int.init) ?? 0, found: found)
  }

  private static func text(_ condition: EtcdCondition) -> String {
    let (key, target) =
      switch condition {
      case .absent(let key): (key, #""target":"CREATE","create_revision":"0""#)
      case .created(let key, let revision): (key, #""target":"CREATE","create_revision":"\#(revision)""#)
      case .bound(let key, let lease): (key, #""target":"LEASE","lease":"\#(lease)""#)
      }
    return #"{"result":"EQUAL","key":"\#(Base64.encode(key))",\#(target)}"#
  }

  private static func text(_ operation: EtcdOperation) -> String {
    switch operation {
    case .put(let key, let value, let lease):
      #"{"request_put":{"key":"\#(Base64.encode(key))","value":"\#(Base64.encode(value))","lease":"\#(lease)"}}"#
    case .get(let key): #"{"request_range":{"key":"\#(Base64.encode(key))"}}"#
    case .delete(let key): #"{"request_delete_range":{"key":"\#(Base64.encode(key))"}}"#
    }
  }

  // MARK: Leases

  /// Creates a lease.
  ///
  /// - Parameter seconds: how long it lives without a `keepAlive`.
  /// - Throws: `EtcdError`.
  package func grantLease(seconds: Int) async throws(EtcdError) -> Int {
    let answer = try await call("/v3/lease/grant", #"{"TTL":"\#(seconds)"}"#, as: LeaseJSON.self)
    guard let id = answer.id.flatMap(Int.init) else { throw .refused("no lease in the answer", code: 0) }
    return id
  }

  /// Renews a lease. Returns for how many seconds; 0 if it has ended.
  ///
  /// - Throws: `EtcdError`.
  package func keepAlive(lease: Int) async throws(EtcdError) -> Int {
    let answer = try await call("/v3/lease/keepalive", #"{"ID":"\#(lease)"}"#, as: KeepAliveJSON.self)
    if let error = answer.error { throw Self.refusal(error) }
    return answer.result?.timeToLive.flatMap(Int.init) ?? 0
  }

  /// Ends a lease, and deletes its keys.
  ///
  /// - Throws: `EtcdError`.
  package func revoke(lease: Int) async throws(EtcdError) {
    _ = try await call("/v3/lease/revoke", #"{"ID":"\#(lease)"}"#, as: HeaderJSON.self)
  }

  // MARK: Watches

  /// A running watch; used on the loop's thread.
  package final class Watch: @unchecked Sendable {
    fileprivate var exchange: HTTP.Exchange?
    fileprivate var line: [UInt8] = []
    fileprivate var isEnded = false

    /// Ends it: nothing is called any more.
    package func cancel() {
      isEnded = true
      exchange?.cancel()
    }
  }

  /// Watches a range of keys. It ends with an error, e.g. if the connection is lost; the caller reads the keys again then.
  ///
  /// - Parameters:
  ///   - revision: the first revision whose changes are reported.
  ///   - onEvents: called with the changes of one revision or more, in order.
  ///   - onEnd: called once, unless it is cancelled.
  package func watch(
    _ range: EtcdRange, from revision: Int, onEvents: @escaping @Sendable ([EtcdEvent]) -> Void,
    onEnd: @escaping @Sendable (EtcdError) -> Void
  ) -> Watch {
    let watch = Watch()
    let body = #"{"create_request":{\#(Self.members(range)),"start_revision":"\#(revision)"}}"#
    func end(_ error: EtcdError) {
      guard !watch.isEnded else { return }
      watch.cancel()
      onEnd(error)
    }
    func take(_ line: [UInt8]) {
      guard !watch.isEnded, !line.isEmpty else { return }
      guard let json = try? RawJSON(checking: line), let message = try? json.decode(WatchJSON.self) else {
        return end(.refused("its answer isn't JSON", code: 0))
      }
      if let error = message.error { return end(Self.refusal(error)) }
      if message.result?.canceled == true {
        return end(.refused(message.result?.reason ?? "the watch was cancelled", code: 0))
      }
      let events: [EtcdEvent] = (message.result?.events ?? []).compactMap { event in
        event.kv.map { $0.entry }.map {
          event.type == "DELETE" ? .deleted(key: $0.key, revision: $0.modified) : .put($0)
        }
      }
      if !events.isEmpty { onEvents(events) }
    }
    watch.exchange = http.post(endpoints[first] + "/v3/watch", Array(body.utf8)) { bytes in
      for byte in bytes {
        if byte == UInt8(ascii: "\n") {
          take(watch.line)
          watch.line.removeAll(keepingCapacity: true)
        } else {
          watch.line.append(byte)
        }
      }
    } onEnd: { [weak self] result in
      self?.assumeIsolated { $0.first = ($0.first + 1) % $0.endpoints.count }
      switch result {
      case .success: end(.unreachable("the watch has ended"))
      case .failure(let error): end(.unreachable("\(error)"))
      }
    }
    return watch
  }

  /// The same as a sequence of changes, which ends when the watch does.
  ///
  /// - Parameter duration: after which time the watch is ended; nil for never.
  package func changes(
    _ range: EtcdRange, from revision: Int, for duration: Duration? = nil
  ) -> AsyncStream<[EtcdEvent]> {
    let (stream, continuation) = AsyncStream<[EtcdEvent]>.makeStream()
    let watch = watch(range, from: revision) {
      continuation.yield($0)
    } onEnd: { _ in
      continuation.finish()
    }
    let end = Task(executorPreference: loop) {
      guard let duration else { return }
      try await Task.sleep(for: duration)
      continuation.finish()
    }
    continuation.onTermination = { [loop] _ in
      end.cancel()
      loop.perform { watch.cancel() }
    }
    return stream
  }

  // MARK: Calls

  private func call<Answer: Decodable>(
    _ path: String, _ body: String, as _: Answer.Type
  ) async throws(EtcdError) -> Answer {
    var last = EtcdError.unreachable("there is no endpoint")
    for turn in 0..<endpoints.count {
      let place = (first + turn) % endpoints.count
      let (status, text): (Int, [UInt8])
      switch await exchange(endpoints[place] + path, body) {
      case .failure(let error):
        last = .unreachable("\(endpoints[place]): \(error)")
        continue
      case .success(let answer): (status, text) = answer
      }
      let json = try? RawJSON(checking: text)
      guard status == 200, let json, let answer = try? json.decode(Answer.self) else {
        let refusal = (json.flatMap { try? $0.decode(RefusalJSON.self) }).map(Self.refusal)
        last = refusal ?? .unreachable("\(endpoints[place]): HTTP status \(status)")
        // 14: unavailable, e.g. without a leader; 4: its own timeout.
        if case .refused(_, let code) = last, code != 14, code != 4 {
          first = place
          throw last
        }
        continue
      }
      first = place
      return answer
    }
    throw last
  }

  private static func refusal(_ json: RefusalJSON) -> EtcdError {
    .refused(json.message ?? json.error ?? "no reason given", code: json.code ?? json.streamCode ?? 0)
  }

  private func exchange(_ url: String, _ body: String) async -> Result<(Int, [UInt8]), HTTPError> {
    await withCheckedContinuation { continuation in
      var text: [UInt8] = []
      http.post(
        url, Array(body.utf8), timeout: Self.patience, onData: { text += $0 },
        onEnd: { result in continuation.resume(returning: result.map { ($0, text) }) })
    }
  }
}
