import InitModel
import InitWire
import Platform
import Testing

@testable import InitServer

@Suite("Roles (protocol section 8)")
struct RolesTests {
  private let alice = PeerCredentials(pid: 1, uid: 1001, gid: 2001, groups: [3001])

  @Test("Root and the supervisor's own user have all roles, others none unless they are given some")
  func owners() {
    let permissions = Permissions()
    #expect(permissions.roles(of: PeerCredentials(pid: 1, uid: 0, gid: 5), owner: 7) == .all)
    #expect(permissions.roles(of: PeerCredentials(pid: 1, uid: 7, gid: 5), owner: 7) == .all)
    #expect(permissions.roles(of: alice, owner: 7) == [])
  }

  @Test(
    "Permissions match a user's number or any group of the peer; roles add up, and include observe",
    arguments: [
      (.user(1001), .control, [.observe, .control]), (.user(1002), .control, []),
      (.group(2001), .register, [.observe, .register]),
      (.group(3001), .observe, .observe), (.group(1001), .observe, []), (.user(2001), .observe, []),
    ] as [(Permissions.Peers, Roles, Roles)])
  func grants(peers: Permissions.Peers, roles: Roles, expected: Roles) {
    var permissions = Permissions()
    permissions.allow(peers, roles)
    #expect(permissions.roles(of: alice, owner: 7) == expected)
    permissions.allow(.user(1001), .observe)
    #expect(permissions.roles(of: alice, owner: 7) == expected.union(.observe))
  }

  @Test("Each request requires a role, and a client with all roles may send it")
  func requests() {
    for request in clientRequests {
      #expect(!Roles(request.roles).isEmpty)
      #expect(Roles.all.allow(request))
      #expect(!Roles(rawValue: 0).allow(request))
    }
  }

  @Test(
    "The refusal of a method names the role that it needs and the roles of the peer",
    arguments: [
      (
        .observe, ActivateRequest.self, false,
        "`activate` needs the role control, and you have observe; ask its administrator"
      ),
      (
        [.observe, .register], ShutdownRequest.self, false,
        "`shutdown` needs the role control, and you have register; ask"
      ),
      (
        .observe, UnregisterRequest.self, true,
        "`unregister` needs the role control or register, and you have observe; use the"
      ),
      (
        [.observe, .control], RegisterRequest.self, false,
        "`register` needs the role register, and you have control; ask its"
      ),
    ] as [(Roles, any ClientRequest.Type, Bool, String)])
  func refusals(roles: Roles, request: any ClientRequest.Type, isReadOnly: Bool, words: String) {
    let error = roles.refusal(of: request, isReadOnly: isReadOnly)
    #expect(error.knownCode == .notPermitted)
    #expect(error.message.hasPrefix("permission denied: " + words))
  }
}
