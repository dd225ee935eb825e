internal import EventLoop
internal import InitJSON

// A token ends when it isn't used for five minutes, when its member of etcd restarts, and when the user's password or roles change.

extension Etcd {
  /// A user of etcd.
  package struct User: Sendable {
    /// The name.
    package let name: String
    /// The password.
    package let password: String

    package init(name: String, password: String) {
      self.name = name
      self.password = password
    }
  }

  /// The user's token: the known one, unless that is the given one, or else a new one.
  ///
  /// Empty if requests need none.
  ///
  /// `refused` is a token that etcd has refused. Throws `EtcdError`; a denial if the password is wrong.
  func token(insteadOf refused: String?) async throws(EtcdError) -> String {
    guard let user else { return "" }
    if let token, token != refused { return token }
    // etcd hashes the password, which takes it a while. So requests at the same time share an authentication, and a wrong password isn't
    // sent again at once.
    if let denial, loop.now < denial.end { throw denial.error }
    let running = authentication ?? Task(executorPreference: loop) { await self.authenticate(user) }
    authentication = running
    return try await running.value.get()
  }

  private func authenticate(_ user: User) async -> Result<String, EtcdError> {
    defer { authentication = nil }
    do throws(EtcdError) {
      let body = String(decoding: try Self.json(of: user), as: UTF8.self)
      let new = try await ask("/v3/auth/authenticate", body, "", as: TokenJSON.self).token ?? ""
      // A line break would begin another header.
      guard !new.isEmpty, new.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
        return .failure(.refused("its token isn't one", code: 0))
      }
      token = new
      denial = nil
      return .success(new)
    } catch {
      // etcd's users don't apply yet. When they do, requests without a token are refused.
      if case .refused(_, code: EtcdError.failedPrecondition) = error {
        token = ""
        return .success("")
      }
      guard error.isAboutToken else { return .failure(error) }
      let wrong = EtcdError.wrongPassword(of: user.name)
      denial = (wrong, loop.now + pauseAfterDenial)
      return .failure(wrong)
    }
  }

  private static func json(of user: User) throws(EtcdError) -> [UInt8] {
    do throws(ShapeFault) {
      return try CredentialsJSON(name: user.name, password: user.password).json()
    } catch {
      throw .refused("\(error)", code: 0)
    }
  }

  /// Returns the refusal in an answer; nil if there is none.
  static func refusal(in json: RawJSON) -> EtcdError? {
    // In a stream, and in a single answer.
    let part = json["error"].flatMap { $0.kind == .object ? $0 : nil } ?? json
    guard let refusal = try? part.decode(RefusalJSON.self) else { return nil }
    let code = refusal.code ?? refusal.streamCode
    guard let reason = refusal.message ?? refusal.error ?? code.map({ "code \($0)" }) else { return nil }
    return Self.refusal(reason, code: code ?? 0)
  }

  /// A refusal with the code for its reason.
  ///
  /// etcd sends some of these with the code of an invalid argument, and a watch has only the reason.
  static func refusal(_ reason: String, code: Int) -> EtcdError {
    if reason.contains("user name is empty") {
      return .refused("it requires a user", code: EtcdError.unauthenticated)
    }
    let aboutToken = ["invalid auth token", "revision of auth store is old", "authentication failed"]
    if aboutToken.contains(where: { reason.contains($0) }) {
      return .refused(reason, code: EtcdError.unauthenticated)
    }
    return .refused(reason, code: reason.contains("permission denied") ? EtcdError.permissionDenied : code)
  }
}

extension EtcdError {
  /// The code of a request that the state of etcd doesn't allow.
  fileprivate static let failedPrecondition = 9

  /// Whether a new token may help.
  var isAboutToken: Bool {
    if case .refused(_, code: Self.unauthenticated) = self { return true }
    return false
  }

  fileprivate static func wrongPassword(of user: String) -> Self {
    .refused("the user \"\(user)\" doesn't exist, or the password is wrong", code: unauthenticated)
  }
}

/// The params of an authentication.
private struct CredentialsJSON: Shape {
  var name = ""
  var password = ""

  init() {}
  init(name: String, password: String) {
    self.name = name
    self.password = password
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.required("password", &password)
  }
}
