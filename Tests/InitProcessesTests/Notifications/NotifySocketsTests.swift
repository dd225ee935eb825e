import Glibc
import TestSupport
import Testing

@testable import EventLoop
@testable import InitProcesses
@testable import Platform

@Suite("NotifySockets")
struct NotifySocketsTests {
  let parent = TemporaryDirectory()

  @Test("Each run has its own path; datagrams after its end are dropped, and no file is left at the end")
  func lent() throws {
    let loop = try Loop()
    let directory = PrivateDirectory(in: parent.path)
    let sockets = NotifySockets(loop: loop, in: directory)
    var told: [String] = []
    let first = try sockets.lend(run: 1) { told.append("1: " + String(decoding: $0, as: UTF8.self)) }
    #expect(send("STATUS=a", to: first))
    end(1, of: sockets, mayBeLent: true)
    let second = try sockets.lend(run: 2) { told.append("2: " + String(decoding: $0, as: UTF8.self)) }
    #expect(first != second)
    #expect(!send("STATUS=late", to: first), "the first run's path is gone")
    #expect(send("STATUS=b", to: second))
    end(2, of: sockets, mayBeLent: true)
    #expect(told == ["1: STATUS=a", "2: STATUS=b"])
    sockets.close()
    #expect(rmdir(try directory.path()) == 0, "it is empty")
    try loop.close()
  }

  @Test("A socket that was taken back is lent again, under another path")
  func lentAgain() throws {
    let loop = try Loop()
    let sockets = NotifySockets(loop: loop, in: PrivateDirectory(in: parent.path))
    let first = try sockets.lend(run: 1) { _ in }
    let identity = try #require(FileIdentity(at: first))
    end(1, of: sockets, mayBeLent: true)
    #expect(identity.isSame(as: FileIdentity(at: try sockets.lend(run: 2) { _ in })))
    end(2, of: sockets, mayBeLent: true)
    sockets.close()
    try loop.close()
  }

  @Test("A process that a run left behind, connected to its socket, can't report for the next run")
  func leftBehind() async {
    // In a separate process: a child that another test starts has a copy of the closed socket until it executes its program.
    await #expect(processExitsWith: .success) {
      let parent = TemporaryDirectory()
      let loop = try Loop()
      let directory = PrivateDirectory(in: parent.path)
      let sockets = NotifySockets(loop: loop, in: directory)
      var told: [String] = []
      let first = try sockets.lend(run: 1) { _ in }
      let connected = try #require(connect(to: first))
      defer { _ = Glibc.close(connected) }
      end(1, of: sockets, mayBeLent: false)
      _ = try sockets.lend(run: 2) { told.append(String(decoding: $0, as: UTF8.self)) }
      #expect(Glibc.send(connected, "x", 1, Int32(MSG_NOSIGNAL)) < 0)
      end(2, of: sockets, mayBeLent: true)
      #expect(told.isEmpty)
      sockets.close()
      try loop.close()
    }
  }

  @Test(
    "During a run, the socket of the next one is prepared; datagrams to the previous run's path are dropped"
  )
  func prepared() throws {
    let loop = try Loop()
    let directory = PrivateDirectory(in: parent.path)
    let sockets = NotifySockets(loop: loop, in: directory)
    var told: [String] = []
    let first = try sockets.lend(run: 1) { told.append("1: " + String(decoding: $0, as: UTF8.self)) }
    sockets.prepare()
    #expect(inDirectory(of: first).count == 2)
    end(1, of: sockets, mayBeLent: true)
    let second = try sockets.lend(run: 2) { told.append(String(decoding: $0, as: UTF8.self)) }
    #expect(send("STATUS=late", to: first))
    sockets.prepare()
    #expect(!send("STATUS=later", to: first))
    #expect(send("STATUS=own", to: second))
    end(2, of: sockets, mayBeLent: true)
    let third = try sockets.lend(run: 3) { told.append(String(decoding: $0, as: UTF8.self)) }
    #expect(Set([first, second, third]).count == 3)
    end(3, of: sockets, mayBeLent: true)
    #expect(told == ["STATUS=own"])
    sockets.close()
    #expect(rmdir(try directory.path()) == 0, "it is empty")
    try loop.close()
  }

  @Test("A prepared socket whose file was removed isn't used", arguments: [false, true])
  func removed(withDirectory: Bool) throws {
    let loop = try Loop()
    let directory = PrivateDirectory(in: parent.path)
    let sockets = NotifySockets(loop: loop, in: directory, trust: .zero)
    let first = try sockets.lend(run: 1) { _ in }
    sockets.prepare()
    end(1, of: sockets, mayBeLent: true)
    for path in inDirectory(of: first) { unlink(path) }
    if withDirectory { rmdir(String(first.prefix(upTo: first.lastIndex(of: "/") ?? first.startIndex))) }
    for run in 2...3 { #expect(send("", to: try sockets.lend(run: run) { _ in })) }
    sockets.close()
    #expect(rmdir(try directory.path()) == 0, "it is empty")
    try loop.close()
  }

  private func inDirectory(of socket: String) -> [String] {
    let parent = String(socket.prefix(upTo: socket.lastIndex(of: "/") ?? socket.startIndex))
    return TemporaryDirectory.names(in: parent).map { "\(parent)/\($0)" }
  }

  private func send(_ text: String, to path: String) -> Bool {
    guard let socket = connect(to: path) else { return false }
    defer { _ = Glibc.close(socket) }
    return Glibc.send(socket, text, text.utf8.count, 0) == text.utf8.count
  }
}

private func connect(to path: String) -> Int32? {
  guard let address = SocketAddress(path: path) else { return nil }
  let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  let descriptor = Descriptor(owning: socket)
  guard address.connect(descriptor) == 0 else { return nil }
  return descriptor.release()
}

/// Ends the run, which gives its socket back.
private func end(_ run: Int, of sockets: NotifySockets, mayBeLent: Bool) {
  if let socket = sockets.end(run: run) { sockets.reclaim(socket, mayBeLent: mayBeLent) }
}
