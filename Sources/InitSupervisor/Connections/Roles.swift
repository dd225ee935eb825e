internal import InitWire
package import Platform

/// What a peer may do (protocol §8).
public struct Roles: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Ask how things are, and be told.
  public static let observe = Roles(rawValue: 1)
  /// Say what the app does: launch, activate, deactivate, end.
  public static let control = Roles(rawValue: 2)
  /// Register initializers, and run them.
  public static let register = Roles(rawValue: 4)
  /// All of it.
  public static let all: Roles = [.observe, .control, .register]

  /// What each method asks for; any of them will do. This is the whole table.
  static func needed(for method: Request.Method) -> Roles {
    switch method {
    case .hello, .ping, .status, .subscribe, .unsubscribe, .wait, .logs, .history: .observe
    case .launch, .activate, .release, .deactivate, .shutdown: .control
    case .register: .register
    case .unregister: [.control, .register]
    }
  }

  /// Whether who has these roles may use the method.
  func allow(_ method: Request.Method) -> Bool { !isDisjoint(with: Roles.needed(for: method)) }

  /// What one who has these roles is told who may not use the method.
  ///
  /// - Parameter isReadOnly: whether that is because of the socket.
  func refusal(of method: Request.Method, isReadOnly: Bool) -> WireError {
    let remedy =
      isReadOnly ? "use the supervisor's main socket" : "ask its administrator for another --allow-… option"
    let own = self == .observe ? self : subtracting(.observe)
    return WireError(
      .notPermitted,
      """
      permission denied: `\(method.rawValue)` needs the role \(Roles.needed(for: method).names.joined(separator: " or ")), and you have \
      \(own.names.joined(separator: " and ")); \(remedy)
      """)
  }

  private var names: [String] {
    [(Roles.observe, "observe"), (.control, "control"), (.register, "register")].filter { contains($0.0) }.map(\.1)
  }
}

/// Who may do what, beside root and the supervisor's own user, who may do everything: a value.
public struct Permissions: Hashable, Sendable {
  /// Users or groups.
  public enum Peers: Hashable, Sendable {
    /// The user of this number.
    case user(UInt32)
    /// Whoever is in the group of this number.
    case group(UInt32)
  }

  private struct Grant: Hashable, Sendable {
    let peers: Peers
    let roles: Roles
  }

  private var grants: [Grant] = []

  /// Nobody else may do anything.
  public init() {}

  /// Lets users or groups do something; whoever may control or register may observe, too.
  public mutating func allow(_ peers: Peers, _ roles: Roles) {
    grants.append(Grant(peers: peers, roles: roles.union(.observe)))
  }

  /// What a peer may do.
  ///
  /// - Parameters:
  ///   - peer: who it is, by the kernel's word.
  ///   - owner: the supervisor's own user.
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
