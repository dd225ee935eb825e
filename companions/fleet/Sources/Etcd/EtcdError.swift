internal import GRPCCore

/// Why etcd didn't do something.
package enum EtcdError: Error, Hashable, Sendable, CustomStringConvertible {
  /// None of the endpoints answers; the reason is the last one's.
  case unreachable(String)
  /// The same, because a certificate is refused: that of a member, or this client's.
  case untrusted(String)
  /// etcd refused the request.
  case refused(String, Kind)

  /// The kinds of refusals that this program tells apart.
  package enum Kind: Sendable, Hashable {
    /// The token is missing or isn't valid any more, or the password is wrong.
    case unauthenticated
    /// The roles of the user don't allow it.
    case permissionDenied
    /// There is no such lease.
    case noLease
    /// The state of etcd doesn't allow it.
    case failedPrecondition
    /// etcd has no space for it, or too many requests.
    case exhausted
    case other
  }

  /// Whether it was refused because of the user or a certificate.
  package var isDenied: Bool {
    switch self {
    case .untrusted, .refused(_, .unauthenticated), .refused(_, .permissionDenied): true
    case .refused, .unreachable: false
    }
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

  /// What is wrong.
  package var description: String {
    switch self {
    case .unreachable(let reason), .untrusted(let reason): "etcd can't be reached: \(reason)"
    case .refused(let reason, _): "etcd refused: \(reason)"
    }
  }

  static func wrongPassword(of user: String) -> Self {
    .refused("the user \"\(user)\" doesn't exist, or the password is wrong", .unauthenticated)
  }

  /// The error of a call to a member.
  init(_ error: any Error, of endpoint: EtcdEndpoint) {
    guard let error = error as? RPCError else {
      self = .unreachable("\(endpoint): \(error is CancellationError ? "the call was cancelled" : "\(error)")")
      return
    }
    var reason = error.message[...]
    for prefix in ["etcdserver: ", "mvcc: "] where reason.hasPrefix(prefix) { reason = reason.dropFirst(prefix.count) }
    switch error.code {
    // Another member, or a later attempt, may succeed: the member ends, its own timeout, or no leader.
    case .cancelled, .deadlineExceeded, .unavailable:
      self = Self.noAnswer(error, of: endpoint)
    case .resourceExhausted: self = .refused(String(reason), .exhausted)
    default: self = Self.refusal(String(reason), error.code)
    }
  }

  /// A refusal with the kind for its reason.
  ///
  /// etcd sends some of these with the code of an invalid argument, and the end of a watch has only the reason.
  static func refusal(_ reason: String, _ code: RPCError.Code?) -> EtcdError {
    if reason.contains("user name is empty") { return .refused("it requires a user", .unauthenticated) }
    let aboutToken = ["invalid auth token", "revision of auth store is old", "authentication failed"]
    if code == .unauthenticated || aboutToken.contains(where: { reason.contains($0) }) {
      return .refused(reason, .unauthenticated)
    }
    if code == .permissionDenied || reason.contains("permission denied") { return .refused(reason, .permissionDenied) }
    // Nothing else that is asked for has to exist.
    if code == .notFound { return .refused(reason, .noLease) }
    return .refused(reason, code == .failedPrecondition ? .failedPrecondition : .other)
  }

  /// The error of a member that doesn't answer, with the innermost cause.
  private static func noAnswer(_ error: RPCError, of endpoint: EtcdEndpoint) -> EtcdError {
    if error.code == .deadlineExceeded { return .unreachable("\(endpoint): no answer in time") }
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
    // The transport's words for a connection that has ended since the last call.
    let isLost = all.hasPrefix("subchannel isn't ready")
    return .unreachable("\(endpoint): \(isLost ? "the connection is lost" : texts.joined(separator: ": "))")
  }
}

/// Files with certificates that can't be used.
package struct EtcdSecurityError: Error, CustomStringConvertible {
  package let description: String
}
