internal import EtcdMessages
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import GRPCProtobuf
internal import SwiftProtobuf

/// A client of etcd's v3 API.
///
/// The client has one connection, to the member that answered last. If a member doesn't answer, the client asks the next member.
@FleetActor package final class EtcdClient {
  private let endpoints: [EtcdEndpoint]
  private let security: EtcdSecurity
  private var members: [Int: EtcdMember] = [:]
  /// The index of the member that is asked first: the last member that has answered.
  package private(set) var first = 0 {
    didSet { if first != oldValue { onPreference(first) } }
  }
  /// Called with the index of a member that is asked first from now on.
  package var onPreference: @FleetActor (Int) -> Void = { _ in }
  /// How long one member may take to answer.
  let patience: Duration
  let user: EtcdUser?
  /// The user's token; empty if authentication isn't enabled in etcd, nil if it isn't known yet.
  private var token: String?
  /// The running authentication.
  private var authentication: Task<Result<String, EtcdError>, Never>?
  /// The error of the last denial, and the time until which authentication isn't tried again.
  private var denial: (error: EtcdError, end: ContinuousClock.Instant)?
  /// The streams that end when another member is asked: a member that doesn't answer may be cut off from its peers, and silent.
  ///
  /// A stream that was opened to a chosen member isn't among them.
  private var streams: [Int: (place: Int, end: @Sendable (EtcdError) -> Void)] = [:]
  private var lastStream = 0
  /// Whether the last request for keys was denied; nil if none was answered yet.
  private var isDenied: Bool?
  /// Called when etcd denies access to keys that it allowed before, and without an error when it allows it again.
  package var onAccess: @FleetActor (EtcdError?) -> Void = { _ in }
  /// The pause after a denied authentication.
  private static let pauseAfterDenial = Duration.seconds(5)
  /// The maximum number of keys in one answer.
  private static let page = Int64(100)
  /// The largest answer: etcd accepts values of at most 1.5 MiB unless it is told otherwise.
  private static let largestAnswer = Int(page) * (3 << 19) + (1 << 20)

  /// Creates a client of a cluster.
  ///
  /// `user` is the user whose roles apply; nil if authentication isn't enabled in etcd. `patience` says how long one member may take to
  /// answer.
  ///
  /// - Throws: `EtcdSecurityError` if the files of `security` can't be used.
  package init(
    endpoints: [EtcdEndpoint], security: EtcdSecurity = EtcdSecurity(), user: EtcdUser? = nil,
    patience: Duration = .seconds(3)
  ) throws {
    self.endpoints = endpoints
    self.security = security
    self.user = user
    self.patience = patience
    members[0] = try EtcdMember(endpoints[0], security)
  }

  // MARK: Keys

  /// Returns the keys of a range with their values, in order, as they were at the revision.
  package func list(_ range: EtcdRange) async throws(EtcdError) -> (entries: [EtcdEntry], revision: Int) {
    while true {
      do throws(EtcdError) {
        return try await listOnce(range)
      } catch {
        // The first page was read at that revision, which has been compacted in the meantime.
        guard case .refused(_, .compacted) = error else { throw error }
      }
    }
  }

  private func listOnce(_ range: EtcdRange) async throws(EtcdError) -> (entries: [EtcdEntry], revision: Int) {
    var entries: [EtcdEntry] = []
    var rest = range
    var revision = Int64(0)
    while true {
      var request = Etcdserverpb_RangeRequest(rest)
      request.limit = Self.page
      request.revision = revision
      let answer = try await callForKeys { [request] in
        try await Etcdserverpb_KV.Client(wrapping: $0).range(request, metadata: $1, options: $2)
      }
      if revision == 0 { revision = answer.header.revision }
      entries += answer.kvs.map(EtcdEntry.init)
      guard answer.more, let last = entries.last else { return (entries, Int(revision)) }
      rest = range.after(last.key)
    }
  }

  /// Executes operations if all conditions hold, and others if not.
  ///
  /// - Throws: `EtcdError`. After `unreachable` it may have been executed.
  package func transaction(
    if conditions: [EtcdCondition], then operations: [EtcdOperation], else others: [EtcdOperation] = []
  ) async throws(EtcdError) -> EtcdOutcome {
    var request = Etcdserverpb_TxnRequest()
    request.compare = conditions.map(Etcdserverpb_Compare.init)
    request.success = operations.map(Etcdserverpb_RequestOp.init)
    request.failure = others.map(Etcdserverpb_RequestOp.init)
    let answer = try await callForKeys { [request] in
      try await Etcdserverpb_KV.Client(wrapping: $0).txn(request, metadata: $1, options: $2)
    }
    let found = answer.responses.compactMap { response -> EtcdEntry?? in
      guard case .responseRange(let range) = response.response else { return nil }
      return .some(range.kvs.first.map(EtcdEntry.init))
    }
    return EtcdOutcome(succeeded: answer.succeeded, revision: Int(answer.header.revision), found: found)
  }

  // MARK: Leases

  /// Creates a lease, which lives that long unless it is renewed.
  package func grantLease(seconds: Int) async throws(EtcdError) -> Int {
    var request = Etcdserverpb_LeaseGrantRequest()
    request.ttl = Int64(seconds)
    let answer = try await call { [request] in
      try await Etcdserverpb_Lease.Client(wrapping: $0).leaseGrant(request, metadata: $1, options: $2)
    }
    return Int(answer.id)
  }

  /// Ends a lease, and deletes its keys.
  package func revoke(lease: Int) async throws(EtcdError) {
    var request = Etcdserverpb_LeaseRevokeRequest()
    request.id = Int64(lease)
    _ = try await call { [request] in
      try await Etcdserverpb_Lease.Client(wrapping: $0).leaseRevoke(request, metadata: $1, options: $2)
    }
  }

  // MARK: Calls

  typealias Connection = GRPCClient<HTTP2ClientTransport.Posix>

  /// Makes a call for which the user needs a role, and reports if that is granted or revoked.
  private func callForKeys<Answer: Sendable>(
    _ body: @Sendable (Connection, Metadata, CallOptions) async throws -> Answer
  ) async throws(EtcdError) -> Answer {
    do throws(EtcdError) {
      let answer = try await call(body)
      if isDenied == true { onAccess(nil) }
      isDenied = false
      return answer
    } catch {
      if case .refused = error, error.isDenied, isDenied == false {
        isDenied = true
        onAccess(error)
      }
      throw error
    }
  }

  /// Makes a call with the user's token.
  ///
  /// If a new token may help, authenticates once more and repeats the call.
  private func call<Answer: Sendable>(
    _ body: @Sendable (Connection, Metadata, CallOptions) async throws -> Answer
  ) async throws(EtcdError) -> Answer {
    let token = try await token(insteadOf: nil)
    do throws(EtcdError) {
      return try await ask(token, body)
    } catch {
      guard mayBeOutdated(token, error) else { throw error }
    }
    return try await ask(try await self.token(insteadOf: token), body)
  }

  /// Asks one member after the other, until a member answers.
  ///
  /// `token` is the token; it is empty if requests need none.
  private func ask<Answer: Sendable>(
    _ token: String, _ body: @Sendable (Connection, Metadata, CallOptions) async throws -> Answer
  ) async throws(EtcdError) -> Answer {
    var last = EtcdError.unreachable("there is no endpoint")
    let start = first
    for turn in 0..<endpoints.count {
      let place = (start + turn) % endpoints.count
      do throws(EtcdError) {
        let answer = try await askMember(place, token, body)
        prefer(place)
        return answer
      } catch {
        // If one member only doesn't answer, another attempt may succeed.
        if turn == 0 || !error.isDenied { last = error }
        guard error.mayPass else {
          prefer(place)
          throw error
        }
        if error.isUnreachable { passOver(place, because: error) }
      }
    }
    throw last
  }

  private func askMember<Answer: Sendable>(
    _ place: Int, _ token: String, _ body: @Sendable (Connection, Metadata, CallOptions) async throws -> Answer
  ) async throws(EtcdError) -> Answer {
    var options = Self.options
    options.timeout = patience
    do {
      return try await body(try member(place).client, Self.metadata(token), options)
    } catch {
      throw EtcdError(error, of: endpoints[place])
    }
  }

  /// The options of all calls and streams.
  static let options = {
    var options = CallOptions.defaults
    // This version of the transport uses the first one for answers.
    options.maxRequestMessageBytes = largestAnswer
    options.maxResponseMessageBytes = largestAnswer
    return options
  }()

  static func metadata(_ token: String) -> Metadata { token.isEmpty ? [:] : ["token": .string(token)] }

  /// Returns the member at an index.
  func member(_ place: Int) throws -> EtcdMember {
    if let member = members[place] { return member }
    let member = try EtcdMember(endpoints[place], security)
    members[place] = member
    return member
  }

  /// Asks this member first from now on, and ends the streams of the others.
  package func prefer(_ place: Int) {
    guard place != first else { return }
    first = place
    endStreams(because: .unreachable("another member is asked now")) { $0 != place }
  }

  /// Ends the streams of a member that doesn't answer; the next member is asked first.
  ///
  /// If there is no other member, this one may only be slow. If the files of certificates have changed, the member is connected with the
  /// new ones at its next call.
  func passOver(_ place: Int, because error: EtcdError) {
    if members[place]?.isOutdated == true { members[place] = nil }
    guard hasOthers else { return }
    endStreams(because: error) { $0 == place }
    if place == first { first = (first + 1) % endpoints.count }
  }

  /// Whether there is another member to ask.
  private var hasOthers: Bool { endpoints.count > 1 }

  /// The number of members that can be asked; their indices begin with 0.
  package var memberCount: Int { endpoints.count }

  // MARK: Streams

  /// Registers a stream to a member; `end` is called when that member isn't asked any more.
  func register(_ place: Int, _ end: @escaping @Sendable (EtcdError) -> Void) -> Int {
    lastStream += 1
    streams[lastStream] = (place, end)
    return lastStream
  }

  func unregister(_ stream: Int) { streams[stream] = nil }

  private func endStreams(because reason: EtcdError, on isConcerned: (Int) -> Bool) {
    for (number, stream) in streams where isConcerned(stream.place) {
      streams[number] = nil
      stream.end(reason)
    }
  }

  // MARK: The user

  // A token ends when it isn't used for five minutes, when its member of etcd restarts, and when the user's password or roles change.

  /// Returns whether etcd may accept a request with a new token that it has refused with this one.
  ///
  /// An empty token is one of the time in which etcd had no users. When they are enabled, a request without a token is one of the user that
  /// the client's certificate names, if it names one; that user may not exist, or have another role.
  func mayBeOutdated(_ token: String, _ error: EtcdError) -> Bool {
    guard user != nil, case .refused(_, let kind) = error else { return false }
    return kind == .unauthenticated || (kind == .permissionDenied && token.isEmpty)
  }

  /// Returns the user's token: the known token unless it is the refused one, otherwise a new token.
  ///
  /// The token is empty if requests need none.
  ///
  /// `refused` is a token that etcd has refused. Throws `EtcdError`; a denial if the password is wrong.
  func token(insteadOf refused: String?) async throws(EtcdError) -> String {
    guard let user else { return "" }
    if let token, token != refused { return token }
    // etcd hashes the password, which takes it a while. So concurrent requests share an authentication, and a wrong password isn't sent
    // again at once.
    if let denial, .now < denial.end { throw denial.error }
    let running = authentication ?? Task { await self.authenticate(user) }
    authentication = running
    return try await running.value.get()
  }

  private func authenticate(_ user: EtcdUser) async -> Result<String, EtcdError> {
    defer { authentication = nil }
    var request = Etcdserverpb_AuthenticateRequest()
    request.name = user.name
    request.password = user.password
    do throws(EtcdError) {
      let answer = try await ask("") { [request] in
        try await Etcdserverpb_Auth.Client(wrapping: $0).authenticate(request, metadata: $1, options: $2)
      }
      token = answer.token
      denial = nil
      return .success(answer.token)
    } catch {
      // etcd's users don't apply yet. When they do, requests without a token are refused.
      if case .refused(_, .failedPrecondition) = error {
        token = ""
        return .success("")
      }
      guard error.isAboutToken else { return .failure(error) }
      let wrong = EtcdError.wrongPassword(of: user.name)
      denial = (wrong, .now + Self.pauseAfterDenial)
      return .failure(wrong)
    }
  }
}
