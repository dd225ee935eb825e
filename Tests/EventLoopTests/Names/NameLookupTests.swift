import Glibc
import TestSupport
import Testing

@testable import EventLoop
@testable import Platform

@Suite("NameLookup")
struct NameLookupTests {
  let directory = TemporaryDirectory()

  @Test(
    "Addresses and localhost need no file",
    arguments: [("10.0.0.1", 1), ("::1", 1), ("localhost", 2), ("LOCALHOST.", 2)])
  func known(host: String, count: Int) { #expect(NameLookup.known(host)?.count == count) }

  @Test("A name in the hosts file is found there")
  func hosts() async throws {
    let path = directory.write("hosts", "10.0.0.1 db\n")
    let outcome = try await find("db") { $0.hosts = path }
    #expect(outcome == "10.0.0.1")
  }

  @Test("A name server is asked, and one that doesn't answer is reported")
  func server() async throws {
    let address = IPAddress.loopback[0]
    let hosts = directory.write("hosts", "")
    let resolver = directory.write("resolv.conf", "nameserver 127.0.0.1\n")
    let outcome = try await play(String.self) { scene in
      let server = try address.socket(isDatagram: true)
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: address.bytes) }
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(server.number, pointer, length) == 0 ? getsockname(server.number, pointer, &length) : -1
        }
      }
      #expect(status == 0)
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: server))
      try poll.start(.readable) { _ in
        var buffer = [UInt8](repeating: 0, count: 512)
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &peer) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            let count = recvfrom(server.number, &buffer, buffer.count, 0, pointer, &length)
            guard count > 0 else { return }
            let isIPv4 = buffer[count - 3] == 1
            let answer = NameAnswer(records: isIPv4 ? [(1, [10, 0, 0, 7])] : []).message(to: Array(buffer[..<count]))
            _ = sendto(server.number, answer, answer.count, 0, pointer, length)
          }
        }
      }
      var sources = NameLookup.Sources()
      sources.hosts = hosts
      sources.resolver = resolver
      sources.port = UInt16(bigEndian: name.sin_port)
      let lookup = scene.keep(NameLookup(loop: scene.loop, sources: sources))
      lookup.find("db.example") { addresses, fault in
        poll.close()
        scene.finish(fault ?? addresses.map(\.description).joined(separator: " "))
      }
      #expect(lookup.silence == "the name server 127.0.0.1 doesn't answer")
    }
    #expect(outcome == "10.0.0.7")
  }

  @Test("A name server that isn't there is reported")
  func refused() async throws {
    let hosts = directory.write("hosts", "")
    let resolver = directory.write("resolv.conf", "nameserver 127.0.0.1\n")
    let outcome = try await find("db.example") {
      $0.hosts = hosts
      $0.resolver = resolver
      $0.port = 1
    }
    #expect(outcome == "the name server 127.0.0.1 fails: Connection refused")
  }

  private func find(_ host: String, _ change: @Sendable @escaping (inout NameLookup.Sources) -> Void) async throws
    -> String
  {
    try await play(String.self) { scene in
      var sources = NameLookup.Sources()
      change(&sources)
      let lookup = scene.keep(NameLookup(loop: scene.loop, sources: sources))
      lookup.find(host) { addresses, fault in
        scene.finish(fault ?? addresses.map(\.description).joined(separator: " "))
      }
    }
  }
}
