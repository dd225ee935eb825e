package import InitWire
package import Platform

/// The roles of a peer: its permissions.
public struct Roles: OptionSet, Hashable, Sendable {
  /// The roles as bits.
  public let rawValue: UInt8
  /// Creates the roles of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Query the status, and receive events.
  public static let observe = Roles(rawValue: 1)
  /// Can control the app: launch, activate, deactivate, shut down.
  public static let control = Roles(rawValue: 2)
  /// Register initializers, and run them as a worker.
  public static let register = Roles(rawValue: 4)
  /// All roles.
  public static let all: Roles = [.observe, .control, .register]

  /// Collects roles.
  init(_ roles: [Role]) {
    self = roles.reduce(into: []) { roles, role in
      switch role {
      case .observe: roles.insert(.observe)
      case .control: roles.insert(.control)
      case .register: roles.insert(.register)
      }
    }
  }

  /// Returns whether these roles allow a request.
  package func allow(_ request: any ClientRequest.Type) -> Bool { !isDisjoint(with: Roles(request.roles)) }

  /// Returns the error message for a peer with these roles that may not send the request.
  ///
  /// `isReadOnly` is true if the client's socket is the reason.
  package func refusal(of request: any ClientRequest.Type, isReadOnly: Bool) -> WireError {
    let remedy =
      isReadOnly ? "use the supervisor's main socket" : "ask its administrator for another --allow-… option"
    let own = self == .observe ? self : subtracting(.observe)
    return WireError(
      .notPermitted,
      """
      permission denied: `\(request.method)` needs the role \(Roles(request.roles).names.joined(separator: " or ")), and you have \
      \(own.names.joined(separator: " and ")); \(remedy)
      """)
  }

  private var names: [String] {
    [(Roles.observe, "observe"), (.control, "control"), (.register, "register")].filter { contains($0.0) }.map(\.1)
  }
}

/// The permissions of users and groups: a value.
///
/// Root and the supervisor's own user have all roles.
public struct Permissions: Hashable, Sendable {
  /// Users or groups.
  public enum Peers: Hashable, Sendable {
    /// The user of this number.
    case user(UInt32)
    /// The members of the group of this number.
    case group(UInt32)
  }

  private struct Grant: Hashable, Sendable {
    let peers: Peers
    let roles: Roles
  }

  private var grants: [Grant] = []

  /// Grants no permissions to other users.
  public init() {}

  /// Gives a role to users or groups; control and register include observe.
  public mutating func allow(_ peers: Peers, _ roles: Roles) {
    grants.append(Grant(peers: peers, roles: roles.union(.observe)))
  }

  /// Returns the roles of a peer.
  ///
  /// `peer` is the user and the groups of the client, as the kernel reports them. `owner` is the supervisor's own user.
  package func roles(of peer: PeerCredentials, owner: UInt32) -> Roles {
    if peer.uid == 0 || peer.uid == owner { return .all }
    return grants.reduce(into: []) { roles, grant in
      switch grant.peers {
      case .user(peer.uid): roles.formUnion(grant.roles)
      case .group(let group) where group == peer.gid || peer.groups.contains(group): roles.formUnion(grant.roles)
      case .user, .group: break
      }
    }
  }
}
