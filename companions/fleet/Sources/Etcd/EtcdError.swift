internal import GRPCCore

/// The reason why etcd refused or failed a request.
package enum EtcdError: Error, Hashable, Sendable, CustomStringConvertible {
  /// None of the endpoints answers; the reason is that of the last endpoint.
  case unreachable(String)
  /// None of the endpoints answers, because a certificate is refused: that of a member, or this client's.
  case untrusted(String)
  /// etcd refused the request.
  case refused(String, Kind)

  /// The kinds of refusals that this program tells apart.
  package enum Kind: Sendable, Hashable {
    /// The token is missing or isn't valid any more, or the password is wrong.
    case unauthenticated
    /// The roles of the user don't allow the request.
    case permissionDenied
    /// The lease doesn't exist.
    case noLease
    /// The state of etcd doesn't allow the request.
    case failedPrecondition
    /// etcd has no space for the request, or too many requests.
    case exhausted
    /// The revision is compacted.
    case compacted
    case other
  }

  /// Whether the request was refused because of the user or a certificate.
  package var isDenied: Bool {
    switch self {
    case .untrusted, .refused(_, .unauthenticated), .refused(_, .permissionDenied): true
    case .refused, .unreachable: false
    }
  }

  /// Whether etcd has no space: it then refuses everything but reads, deletions and renewals.
  package var isFull: Bool {
    if case .refused(let reason, .exhausted) = self { return reason.contains("space") }
    return false
  }

  /// Whether a later attempt may succeed, without a change of the request or the user.
  package var mayPass: Bool {
    switch self {
    case .unreachable, .untrusted, .refused(_, .exhausted): true
    case .refused: false
    }
  }

  /// Whether etcd may have executed the request.
  package var isUnreachable: Bool {
    switch self {
    case .unreachable, .untrusted: true
    case .refused: false
    }
  }

  /// Whether a new token may help.
  var isAboutToken: Bool {
    if case .refused(_, .unauthenticated) = self { return true }
    return false
  }

  /// A text that says what is wrong.
  package var description: String {
    switch self {
    case .unreachable(let reason), .untrusted(let reason): "etcd can't be reached: \(reason)"
    case .refused(let reason, _): "etcd refused: \(reason)"
    }
  }

  static func wrongPassword(of user: String) -> Self {
    .refused("the user \"\(user)\" doesn't exist, or the password is wrong", .unauthenticated)
  }

  /// Converts the error of a call to a member.
  init(_ error: any Error, of endpoint: EtcdEndpoint) {
    guard let error = error as? RPCError else {
      self = .unreachable("\(endpoint): \(error is CancellationError ? "the call was cancelled" : "\(error)")")
      return
    }
    var reason = error.message[...]
    for prefix in ["etcdserver: ", "mvcc: "] where reason.hasPrefix(prefix) { reason = reason.dropFirst(prefix.count) }
    switch error.code {
    // The member ends, its own timeout has passed, or there is no leader: another member or a later attempt may succeed.
    case .cancelled, .deadlineExceeded, .unavailable:
      self = Self.noAnswer(error, of: endpoint)
    case .resourceExhausted: self = .refused(String(reason), .exhausted)
    // A failure inside of etcd, for example a proposal that was dropped because another member was to lead.
    case .unknown, .aborted, .dataLoss:
      let refusal = Self.refusal(String(reason), error.code)
      self = refusal.isDenied ? refusal : .unreachable("\(endpoint): \(reason)")
    default: self = Self.refusal(String(reason), error.code)
    }
  }

  /// Returns a refusal of the kind that fits its reason.
  ///
  /// etcd sends some of these reasons with the code of an invalid argument, and the end of a watch has only the reason.
  static func refusal(_ reason: String, _ code: RPCError.Code?) -> EtcdError {
    if reason.contains("user name is empty") { return .refused("it requires a user", .unauthenticated) }
    let aboutToken = ["invalid auth token", "revision of auth store is old", "authentication failed"]
    if code == .unauthenticated || aboutToken.contains(where: { reason.contains($0) }) {
      return .refused(reason, .unauthenticated)
    }
    if code == .permissionDenied || reason.contains("permission denied") { return .refused(reason, .permissionDenied) }
    // A lease is the only thing in a request that has to exist.
    if code == .notFound { return .refused(reason, .noLease) }
    if code == .outOfRange { return .refused(reason, .compacted) }
    return .refused(reason, code == .failedPrecondition ? .failedPrecondition : .other)
  }

  /// Returns the error of a member that doesn't answer, with the innermost cause.
  private static func noAnswer(_ error: RPCError, of endpoint: EtcdEndpoint) -> EtcdError {
    if error.code == .deadlineExceeded { return .unreachable("\(endpoint): no answer in time") }
    if error.message.hasSuffix("no leader") {
      return .unreachable("\(endpoint): it has no leader: it is cut off from the other members, or they elect one")
    }
    var texts = [error.message]
    var cause = error.cause
    while let inner = cause {
      texts.append((inner as? RPCError)?.message ?? "\(inner)")
      cause = (inner as? RPCError)?.cause
    }
    let all = texts.joined(separator: " ")
    let untrusted = ["CERTIFICATE_VERIFY_FAILED", "unableToValidateCertificate", "failedToValidateHostname"]
    if untrusted.contains(where: { all.contains($0) }) {
      return .untrusted(
        "\(endpoint): its certificate isn't trusted; check --cacert, and the names in the certificate")
    }
    if all.contains("CERTIFICATE") || all.contains("UNKNOWN_CA") || all.contains("ALERT") {
      return .untrusted("\(endpoint): it doesn't accept this client's certificate; check --cert and --key")
    }
    if all.contains("Connection refused") { return .unreachable("\(endpoint): connection refused") }
    if all.contains("EOF during handshake") || all.contains("WRONG_VERSION_NUMBER") {
      return .unreachable("\(endpoint): it doesn't answer with TLS; if it doesn't use TLS, write http://")
    }
    if all.contains("HTTP/2 connection preface") {
      return .unreachable("\(endpoint): it closes the connection at once; if it uses TLS, write https://")
    }
    // The transport says this about a connection that has ended since the last call.
    let isLost = all.hasPrefix("subchannel isn't ready")
    return .unreachable("\(endpoint): \(isLost ? "the connection is lost" : texts.joined(separator: ": "))")
  }
}

/// Files with certificates that can't be used.
package struct EtcdSecurityError: Error, CustomStringConvertible {
  package let description: String
}
