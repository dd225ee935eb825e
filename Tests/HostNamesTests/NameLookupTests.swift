import EventLoop
import Glibc
import HostNames
import Platform
import TestSupport
import Testing

@Suite("NameLookup")
struct NameLookupTests {
  let directory = TemporaryDirectory()

  @Test(
    "Addresses and localhost need no name server",
    arguments: [
      ("10.0.0.1", "10.0.0.1"), ("::1", "::1"), ("localhost", "127.0.0.1 ::1"), ("LOCALHOST.", "127.0.0.1 ::1"),
    ])
  func known(host: String, addresses: String) async throws {
    let (result, questions) = try await ask(host) { _ in .none }
    #expect(result == addresses && questions.isEmpty)
  }

  @Test("Both kinds of addresses are asked for; IPv4 comes first, and each address once")
  func both() async throws {
    let (result, questions) = try await ask("db.example") { _ in
      .addresses(["fd00::1", "10.0.0.1", "10.0.0.2", "10.0.0.1"])
    }
    #expect(result == "10.0.0.1 10.0.0.2 fd00::1")
    #expect(questions.map(\.name) == ["db.example", "db.example"] && questions.map(\.isIPv6) == [false, true])
  }

  @Test("At most eight addresses are used")
  func many() async throws {
    let (result, _) = try await ask("db.example") { _ in .addresses((1...9).map { "10.0.0.\($0)" }) }
    #expect(result == (1...8).map { "10.0.0.\($0)" }.joined(separator: " "))
  }

  @Test("An answer that is too long for UDP is asked for over TCP")
  func truncated() async throws {
    let (result, questions) = try await ask("db.example") {
      $0.isTCP ? .addresses(["10.0.0.1", "fd00::1"]) : .truncated
    }
    #expect(result == "10.0.0.1 fd00::1")
    #expect(questions.filter(\.isTCP).count == 2)
  }

  @Test("A short name is searched in the domains first, a long one last, and one with a final dot nowhere else")
  func search() async throws {
    for (host, names) in [
      ("db", ["db.a.b", "db.c", "db"]), ("x.db", ["x.db", "x.db.a.b", "x.db.c"]), ("db.", ["db"]),
    ] {
      let (result, questions) = try await ask(host, "search a.b c\n") { _ in .code(3) }
      #expect(result == "there is no such name")
      #expect(questions.filter { !$0.isIPv6 }.map(\.name) == names)
    }
  }

  @Test("In the domain of the root, a name is itself")
  func root() async throws {
    let (result, questions) = try await ask("db", "search a.b .\n") {
      $0.name == "db" ? .addresses(["10.0.0.1"]) : .code(3)
    }
    #expect(result == "10.0.0.1")
    #expect(questions.filter { !$0.isIPv6 }.map(\.name) == ["db.a.b", "db"])
  }

  @Test("A file that has changed is read again")
  func changed() async throws {
    for address in ["127.0.0.1", "127.0.0.2"] {
      let (result, questions) = try await ask("db", of: [address]) { _ in .addresses(["10.0.0.1"]) }
      #expect(result == "10.0.0.1" && Set(questions.map(\.server)) == [address])
    }
  }

  @Test(
    "A name that doesn't exist is told apart from one without an address, and from a server that fails",
    arguments: [(3, "there is no such name"), (0, "it has no address"), (2, "the name server 127.0.0.1 fails")])
  func codes(code: UInt8, why: String) async throws {
    let (result, _) = try await ask("db.example") { _ in .code(code) }
    #expect(result == why)
  }

  @Test("If no answer tells one kind of addresses, those of the other kind are enough", arguments: [false, true])
  func oneKind(isIPv6: Bool) async throws {
    let (result, _) = try await ask("db.example") { $0.isIPv6 == isIPv6 ? .addresses(["10.0.0.1", "fd00::1"]) : .none }
    #expect(result == (isIPv6 ? "fd00::1" : "10.0.0.1"))
  }

  @Test("A name server that doesn't answer is told, at the latest at the deadline", arguments: [0, 300])
  func silence(seconds: Int) async throws {
    let (one, _) = try await ask("db.example", within: .seconds(seconds)) { _ in .none }
    #expect(one == "the name server 127.0.0.1 doesn't answer")
    let (two, _) = try await ask("db.example", of: ["127.0.0.1", "127.0.0.2"], within: .seconds(seconds)) { _ in .none }
    #expect(two == "none of the name servers answers: 127.0.0.1, 127.0.0.2")
  }

  @Test("If a name server doesn't answer, or fails, the next one is asked", arguments: [nil, 2])
  func nextServer(code: UInt8?) async throws {
    let (result, questions) = try await ask("db.example", of: ["127.0.0.1", "127.0.0.2"]) {
      $0.server == "127.0.0.2" ? .addresses(["10.0.0.1"]) : code.map { .code($0) } ?? .none
    }
    #expect(result == "10.0.0.1")
    #expect(questions.first?.server == "127.0.0.1")
  }

  @Test("A name server that isn't there is told")
  func refused() async throws {
    let file = directory.write("resolv.conf", "nameserver 127.0.0.1\n")
    let result = try await onLoop { loop in
      var servers = NameLookup.Servers()
      servers.file = file
      servers.port = 1
      return try outcome(of: NameLookup(loop: loop, servers: servers), "db.example", .seconds(300), loop)
    }
    #expect(result == "the name server 127.0.0.1 fails")
  }

  @Test("Without a file, this machine is asked; a file that can't be read is told")
  func files() async throws {
    mkfifo(directory["fifo"], 0o644)
    for (file, why) in [
      ("none", "10.0.0.1"), ("", "cannot read \(directory[""]): it is a directory"),
      ("fifo", "cannot read \(directory["fifo"]): it is a named pipe"),
    ] {
      let (result, questions) = try await ask("db.example", in: file) { _ in .addresses(["10.0.0.1"]) }
      #expect(result == why && questions.isEmpty == (file != "none"))
    }
  }

  @Test("The sockets aren't inherited by children")
  func closeOnExec() async throws {
    let (result, _) = try await ask("db.example") { question in
      let sockets = (0..<1024).filter { peerPort(of: $0) == question.port }
      let areOurs = !sockets.isEmpty && sockets.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 }
      return areOurs ? .addresses(["10.0.0.1"]) : .code(3)
    }
    #expect(result == "10.0.0.1")
  }

  @Test("A look-up that is closed, or forgotten, calls nothing and leaves nothing open", arguments: [false, true])
  func close(isForgotten: Bool) async throws {
    let file = directory.write("resolv.conf", "nameserver 127.0.0.1\n")
    let isQuiet = try await onLoop { loop in
      var isQuiet = true
      var servers = NameLookup.Servers()
      servers.file = file
      var lookup: NameLookup?
      let server = try FakeNameServer(loop: loop, at: "127.0.0.1", port: 0) { _ in
        if !isForgotten { lookup?.close() }
        lookup = nil
        loop.nextTurn { loop.stop() }
        return .addresses(["10.0.0.1"])
      }
      servers.port = server.port
      lookup = NameLookup(loop: loop, servers: servers)
      lookup?.find("db.example", until: loop.now + .seconds(300)) { _, _ in isQuiet = false }
      loop.run()
      server.close()
      return isQuiet
    }
    #expect(isQuiet)
  }

  /// Looks up a host with name servers that answer as the closure says.
  ///
  /// `text` is added to the file of the servers, and `file` the name of another one. Returns the addresses, or why there are none, and
  /// the questions to the servers.
  private func ask(
    _ host: String, _ text: String = "", of addresses: [String] = ["127.0.0.1"], in file: String? = nil,
    within limit: Duration = .seconds(300),
    answer: @escaping @Sendable (FakeNameServer.Question) -> FakeNameServer.Answer
  ) async throws -> (result: String, questions: [FakeNameServer.Question]) {
    let written = directory.write(
      "resolv.conf", addresses.map { "nameserver \($0)\n" }.joined() + (text.isEmpty ? "search .\n" : text))
    let path = file.map { directory[$0] } ?? written
    return try await onLoop { loop in
      var questions: [FakeNameServer.Question] = []
      var fakes: [FakeNameServer] = []
      for address in addresses {
        fakes.append(
          try FakeNameServer(loop: loop, at: address, port: fakes.first?.port ?? 0) {
            questions.append($0)
            return answer($0)
          })
      }
      defer { for fake in fakes { fake.close() } }
      var servers = NameLookup.Servers()
      servers.file = path
      servers.port = fakes[0].port
      servers.patience = .milliseconds(5)
      return (try outcome(of: NameLookup(loop: loop, servers: servers), host, limit, loop), questions)
    }
  }
}

/// The port that a socket is connected to; nil if it is connected to none.
private func peerPort(of socket: Int32) -> UInt16? {
  var peer = sockaddr_in()
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let status = withUnsafeMutablePointer(to: &peer) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) }
  }
  return status == 0 && peer.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: peer.sin_port) : nil
}

/// Runs a loop until a look-up has ended; returns the addresses, or why there are none.
private func outcome(of lookup: NameLookup, _ host: String, _ limit: Duration, _ loop: Loop) throws -> String {
  var result: String?
  lookup.find(host, until: loop.now + limit) { addresses, fault in
    result = fault ?? addresses.map(\.description).joined(separator: " ")
    loop.nextTurn { loop.stop() }
  }
  loop.run()
  return try #require(result)
}

/// Runs `body` with a loop, in a thread of its own; fails if a handle is left open.
private func onLoop<Outcome: Sendable>(_ body: @escaping @Sendable (Loop) throws -> Outcome) async throws -> Outcome {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try PlatformThread.start(name: "test") {
        continuation.resume(
          with: Result {
            let loop = try Loop()
            let outcome = Result { try body(loop) }
            try loop.close()
            return try outcome.get()
          })
      }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}
