import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("PassedSocket")
struct PassedSocketsTests {
  @Test(
    "Variables for another process, and invalid ones, pass no socket",
    arguments: [
      [:], ["LISTEN_FDS": "1"], ["LISTEN_FDS": "1", "LISTEN_PID": "1"],
      ["LISTEN_FDS": "0", "LISTEN_PID": "\(getpid())"],
      ["LISTEN_FDS": "x", "LISTEN_PID": "\(getpid())"], ["LISTEN_FDS": "100000", "LISTEN_PID": "\(getpid())"],
    ])
  func none(variables: [String: String]) throws {
    #expect(try PassedSocket.all(variables).isEmpty)
  }

  @Test("Passed sockets have their paths and names, and are close-on-exec")
  func passed() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      for (place, name) in ["a", "b"].enumerated() {
        let socket = try Descriptor.boundUnixSocket(try #require(SocketAddress(path: directory[name])), mode: 0o600)
        #expect(listen(socket.number, 1) == 0)
        // Not 3 and 4, which may be in use in a test's process.
        #expect(dup2(socket.number, Int32(200 + place)) == Int32(200 + place))
      }
      let variables = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "initd.socket:observe"]
      let found = try PassedSocket.all(variables, from: 200)
      #expect(found.map(\.name) == ["initd.socket", "observe"])
      #expect(found.map(\.path) == [directory["a"], directory["b"]])
      #expect(found.allSatisfy { fcntl($0.descriptor.number, F_GETFD) == FD_CLOEXEC })
    }
  }

  @Test("A descriptor that isn't a listening Unix socket with a path is refused with a remedy")
  func refused() async {
    await #expect(processExitsWith: .success) {
      func fault() -> PassedSocketError? {
        do throws(PassedSocketError) {
          _ = try PassedSocket.all(["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "1"], from: 200)
          return nil
        } catch { return error }
      }
      func pass(_ number: Int32) {
        #expect(dup2(number, 200) == 200)
      }
      #expect(fault()?.fault == .closed)
      let (left, _) = socketPair()
      pass(left.number)
      #expect(fault()?.fault == .notListening)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let abstract = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(abstract, $0, socklen_t(MemoryLayout<sa_family_t>.size))
        }
      }
      #expect(listen(abstract, 1) == 0)
      pass(abstract)
      #expect(fault()?.fault == .withoutPath)
      #expect(fault()?.description.contains("ListenStream=") == true)
    }
  }
}
