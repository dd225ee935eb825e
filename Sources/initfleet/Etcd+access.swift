internal import Etcd
internal import Fleet

extension Etcd {
  /// Checks that the roles of the user allow the agent to read and write a fleet's keys, as soon as etcd answers.
  ///
  /// - Throws: `EtcdError` if they don't, or the user or its password is wrong.
  func waitForAccess(to keys: FleetKeys) async throws(EtcdError) {
    let key = keys.once + "access"
    while !Task.isCancelled {
      do throws(EtcdError) {
        // etcd checks both branches, and executes the empty one.
        _ = try await transaction(if: [.absent(key)], then: [], else: [.delete(key)])
        return
      } catch {
        if error.isDenied { throw error }
      }
      try? await Task.sleep(for: .milliseconds(500))
    }
  }
}

extension EtcdError {
  /// Whether etcd may have executed the request.
  var isUnreachable: Bool {
    if case .unreachable = self { return true }
    return false
  }

  /// What is wrong, and what to do if it is because of the user.
  var words: String {
    switch self {
    case .refused(_, code: Self.unauthenticated):
      "\(self); check --user, and the password in --password-file or INITFLEET_PASSWORD"
    case .refused(_, code: Self.permissionDenied):
      "\(self); grant a role of --user readwrite for the prefix \"PREFIX/FLEET \", e.g. \"/initfleet/shop \""
    case .refused, .unreachable: description
    }
  }
}
