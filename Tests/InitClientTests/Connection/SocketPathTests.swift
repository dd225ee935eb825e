import Testing

@testable import InitClient

struct SocketPathTests {
  private func resolve(_ asked: String?, _ variables: [String: String], isRoot: Bool = false) throws(ClientError)
    -> String
  {
    try SocketPath.resolve(asked: asked, variable: { variables[$0] }, isRoot: isRoot)
  }

  @Test("The path is the given one, else INITD_SOCKET, else initd.sock in XDG_RUNTIME_DIR, else the one for root (§1)")
  func order() throws {
    let all = ["INITD_SOCKET": "/a", "XDG_RUNTIME_DIR": "/run/user/7"]
    #expect(try resolve("/asked", all, isRoot: true) == "/asked")
    #expect(try resolve(nil, all, isRoot: true) == "/a")
    #expect(try resolve(nil, ["XDG_RUNTIME_DIR": "/run/user/7"], isRoot: true) == "/run/user/7/initd.sock")
    #expect(try resolve(nil, ["XDG_RUNTIME_DIR": "/run/user/7/"]) == "/run/user/7/initd.sock")
    #expect(try resolve(nil, [:], isRoot: true) == "/run/initd.sock")
  }

  @Test("An empty variable counts as unset")
  func empty() throws {
    #expect(try resolve(nil, ["INITD_SOCKET": "", "XDG_RUNTIME_DIR": ""], isRoot: true) == "/run/initd.sock")
  }

  @Test("A given path is used even if it is empty")
  func emptyAsked() throws {
    #expect(try resolve("", ["INITD_SOCKET": "/a"]) == "")
  }

  @Test("Without a socket path, there is an error")
  func nothing() {
    #expect(throws: ClientError.noSocketPath) { try resolve(nil, [:]) }
  }
}
