package import EventLoop
internal import InitJSON

/// A client of etcd: its v3 API, through its JSON gateway.
///
/// With several endpoints, a request goes to the next one if one doesn't answer.
///
/// The actor runs on its loop's thread.
package actor Etcd {
  /// The loop as an executor.
  package nonisolated let loop: Loop
  /// The loop.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let endpoints: [String]
  let http: HTTP
  /// The endpoint that is asked first: the last one that has answered.
  var first = 0 {
    didSet {
      // The others may be cut off from their peers, and their watches silent.
      if first != oldValue { endWatches(because: .unreachable("another member is asked now")) { $0 != first } }
    }
  }
  /// How long one endpoint may take to answer, and how long when a lease is renewed.
  private let patience: Duration
  private let renewalPatience: Duration
  /// The running watches.
  var watches: [ObjectIdentifier: EtcdWatch] = [:]
  let user: User?
  /// The user's token; empty if authentication isn't enabled in etcd, nil if it isn't known yet.
  var token: String?
  /// The running authentication.
  var authentication: Task<Result<String, EtcdError>, Never>?
  /// Why the last one was denied, and until when it isn't tried again.
  var denial: (error: EtcdError, end: Duration)?
  /// The pause after a denied authentication.
  var pauseAfterDenial = Duration.seconds(5)

  /// Creates a client of a cluster.
  ///
  /// `endpoints` are URLs, for example `http://127.0.0.1:2379`; at least one. `security` has the files for TLS. `user` is whose roles apply; nil if
  /// authentication isn't enabled in etcd. `patience` says how long one endpoint may take to answer. `renewalPatience` is the same, when a
  /// lease is renewed.
  package init(
    loop: Loop, endpoints: [String], security: HTTP.Security = HTTP.Security(), user: User? = nil,
    patience: Duration = .seconds(3), renewalPatience: Duration = .seconds(3)
  ) {
    self.loop = loop
    self.endpoints = endpoints
    self.user = user
    self.patience = patience
    self.renewalPatience = renewalPatience
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
    var rest = range
    var revision = 0
    while true {
      let answer = try await call(
        "/v3/kv/range",
        #"{\#(rest.members),"limit":"\#(Self.page)","revision":"\#(revision)"}"#, as: RangeJSON.self)
      if revision == 0 { revision = answer.header?.revision.flatMap(Int.init) ?? 0 }
      entries += (answer.kvs ?? []).map(\.entry)
      guard answer.more == true, let last = entries.last else { return (entries, revision) }
      rest = range.after(last.key)
    }
  }

  /// Executes operations if all conditions hold, and others if not.
  ///
  /// - Throws: `EtcdError`. After `unreachable` it may have been executed.
  package func transaction(
    if conditions: [EtcdCondition], then operations: [EtcdOperation], else others: [EtcdOperation] = []
  ) async throws(EtcdError) -> EtcdOutcome {
    let body = """
      {"compare":[\(conditions.map(\.json).joined(separator: ","))],"success":[\(operations.map(\.json).joined(separator: ","))],\
      "failure":[\(others.map(\.json).joined(separator: ","))]}
      """
    let answer = try await call("/v3/kv/txn", body, as: TransactionJSON.self)
    let found = (answer.responses ?? []).compactMap(\.range).map { $0.kvs?.first?.entry }
    return EtcdOutcome(
      succeeded: answer.succeeded ?? false, revision: answer.header?.revision.flatMap(Int.init) ?? 0, found: found)
  }

  // MARK: Leases

  /// Creates a lease.
  ///
  /// `seconds` says how long it lives without a `keepAlive`. Throws `EtcdError`.
  package func grantLease(seconds: Int) async throws(EtcdError) -> Int {
    let answer = try await call("/v3/lease/grant", #"{"TTL":"\#(seconds)"}"#, as: LeaseJSON.self)
    guard let id = answer.id.flatMap(Int.init) else { throw .refused("no lease in the answer", code: 0) }
    return id
  }

  /// Renews a lease.
  ///
  /// Returns for how many seconds; 0 if it has ended.
  ///
  /// - Throws: `EtcdError`.
  package func keepAlive(lease: Int) async throws(EtcdError) -> Int {
    let answer = try await call(Self.renewalPath, #"{"ID":"\#(lease)"}"#, as: KeepAliveJSON.self)
    return answer.result?.timeToLive.flatMap(Int.init) ?? 0
  }

  /// Ends a lease, and deletes its keys.
  ///
  /// - Throws: `EtcdError`.
  package func revoke(lease: Int) async throws(EtcdError) {
    _ = try await call("/v3/lease/revoke", #"{"ID":"\#(lease)"}"#, as: HeaderJSON.self)
  }

  // MARK: Calls

  /// Sends a request with the user's token.
  ///
  /// If etcd refuses the token, authenticates once more, and sends the request again.
  private func call<Answer: Decodable>(
    _ path: String, _ body: String, as type: Answer.Type
  ) async throws(EtcdError) -> Answer {
    let token = try await token(insteadOf: nil)
    do throws(EtcdError) {
      return try await ask(path, body, token, as: type)
    } catch {
      guard user != nil, error.isAboutToken else { throw error }
    }
    return try await ask(path, body, try await self.token(insteadOf: token), as: type)
  }

  /// Sends a request to one endpoint after the other, until one answers.
  ///
  /// `token` is the token, empty for none.
  func ask<Answer: Decodable>(
    _ path: String, _ body: String, _ token: String, as _: Answer.Type
  ) async throws(EtcdError) -> Answer {
    var last = EtcdError.unreachable("there is no endpoint")
    for turn in 0..<endpoints.count {
      let place = (first + turn) % endpoints.count
      let (status, text): (Int, [UInt8])
      switch await exchange(endpoints[place] + path, body, token) {
      case .failure(let error):
        last = .unreachable("\(endpoints[place]): \(error)")
        // The watches would be silent too.
        endWatches(because: last) { $0 == place }
        continue
      case .success(let answer): (status, text) = answer
      }
      let json = try? RawJSON(checking: text)
      let refusal = json.flatMap(Self.refusal)
      guard status == 200, refusal == nil, let json, let answer = try? json.decode(Answer.self) else {
        let fault = status == 200 ? "its answer isn't etcd's JSON" : Self.fault(status, text)
        last = refusal ?? .unreachable("\(endpoints[place]): \(fault)")
        if case .refused(_, let code) = last, !Self.passing.contains(code) {
          first = place
          throw last
        }
        continue
      }
      first = place
      return answer
    }
    // None is available now: that may pass.
    if case .refused(let reason, _) = last { throw .unreachable(reason) }
    throw last
  }

  /// The status, and the first line of a text, which etcd gives as the reason in some cases.
  private static func fault(_ status: Int, _ text: [UInt8]) -> String {
    let line = String(decoding: text.prefix(200), as: UTF8.self).split(whereSeparator: \.isNewline).first
    return "HTTP status \(status)" + (line.map { ": \($0)" } ?? "")
  }

  /// Codes of refusals after which another member, or a later attempt, may succeed: the member ends, its own timeout, too many requests,
  /// unavailable, for example without a leader.
  private static let passing: Set<Int> = [1, 4, 8, 14]
  private static let renewalPath = "/v3/lease/keepalive"

  private func exchange(_ url: String, _ body: String, _ token: String) async -> Result<(Int, [UInt8]), HTTPError> {
    let patience = url.hasSuffix(Self.renewalPath) ? renewalPatience : patience
    return await withCheckedContinuation { continuation in
      var text: [UInt8] = []
      http.post(
        url, Array(body.utf8), authorization: token.isEmpty ? nil : token, timeout: patience, onData: { text += $0 },
        onEnd: { result in continuation.resume(returning: result.map { ($0, text) }) })
    }
  }
}
