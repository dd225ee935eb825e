import Glibc
import LoopScenes
import Testing

@testable import EventLoop
@testable import InitRunner
@testable import Platform

@Suite("Dial")
struct DialTests {
  @Test("S31: a dial connects to a port that listens, by IPv4 and IPv6", arguments: IPAddress.loopback)
  func connects(_ address: IPAddress) async throws {
    let listener = try address.socket()
    let port = try #require(bind(listener, to: address))
    #expect(listen(listener.number, 1) == 0)
    #expect(try await dial(address, port) == nil)
  }

  @Test("S31: a dial to a port without a listener is refused")
  func refused() async throws {
    let address = IPAddress.loopback[0]
    // The socket is bound, so no other process gets the port.
    let socket = try address.socket()
    let port = try #require(bind(socket, to: address))
    #expect(try await dial(address, port) == ECONNREFUSED)
  }

  @Test("S31: a socket that is connected to itself counts as refused")
  func itself() throws {
    let address = IPAddress.loopback[0]
    let socket = try address.socket()
    let port = try #require(bind(socket, to: address))
    #expect(address.connect(socket, port: port) == 0 || errno == EINPROGRESS)
    #expect(socket.isConnectedToItself)
  }

  @Test("A closed dial calls nothing")
  func closed() async throws {
    let called = try await play(Bool.self) { scene in
      var called = false
      let dial = scene.keep(Dial(loop: scene.loop))
      // No host answers there: the address is reserved for documentation.
      dial.connect(to: IPAddress("192.0.2.1")!, port: 9) { _ in called = true }
      let isSynchronous = called
      dial.close()
      let timer = scene.keep(Timer(loop: scene.loop))
      timer.start(after: .milliseconds(1)) {
        timer.close()
        scene.finish(called && !isSynchronous)
      }
    }
    #expect(!called)
  }

  @Test("S31: if the connection is reset after a part of the answer, both are passed on")
  func reset() async throws {
    let told = try await play([String].self) { scene in
      let address = IPAddress.loopback[0]
      let listener = try address.socket()
      let port = try #require(bind(listener, to: address))
      #expect(listen(listener.number, 1) == 0)
      var told: [String] = []
      let dial = scene.keep(Dial(loop: scene.loop))
      dial.connect(to: address, port: port) { _ in
        dial.ask(Array("?".utf8)) { bytes, error in
          told.append(error.map { "error \($0.errno == ECONNRESET)" } ?? String(decoding: bytes ?? [], as: UTF8.self))
          guard error != nil else { return }
          dial.close()
          scene.finish(told)
        }
        // Both are there before the loop polls.
        let peer = accept(listener.number, nil, nil)
        var now = linger(l_onoff: 1, l_linger: 0)
        #expect(setsockopt(peer, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size)) == 0)
        #expect(send(peer, "part", 4, Int32(MSG_NOSIGNAL)) == 4)
        #expect(close(peer) == 0)
      }
    }
    #expect(told == ["part", "error true"])
  }

  /// Returns the error number of a dial; nil if it connects.
  private func dial(_ address: IPAddress, _ port: UInt16) async throws -> Int32? {
    try await play(Int32?.self) { scene in
      let dial = scene.keep(Dial(loop: scene.loop))
      dial.connect(to: address, port: port) { error in
        scene.finish(error?.errno)
        dial.close()
      }
    }
  }

  /// Binds a socket to a free port, and returns the port.
  private func bind(_ socket: Descriptor, to address: IPAddress) -> UInt16? {
    if address.isIPv6 {
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: address.bytes) }
      return bind(socket, &name).map { _ in UInt16(bigEndian: name.sin6_port) }
    }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: address.bytes) }
    return bind(socket, &name).map { _ in UInt16(bigEndian: name.sin_port) }
  }

  private func bind<Name>(_ socket: Descriptor, _ name: inout Name) -> Void? {
    var length = socklen_t(MemoryLayout<Name>.size)
    let status = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        Glibc.bind(socket.number, address, length) == 0 ? getsockname(socket.number, address, &length) : -1
      }
    }
    return status == 0 ? () : nil
  }
}
