import Glibc
import InitJSON
import InitModel
import InitWire
import Platform
import Testing

@testable import InitClient

@Suite("A shutdown that is waited for")
struct ClientShutDownTests {
  /// Plays a supervisor that has closed its connection, and shuts it down; `rest` is what the supervisor does after that.
  private func shutDown(
    _ result: ShutdownRequest.Result, within limit: Duration, _ rest: @escaping @Sendable (_ lock: String) -> Void
  ) async throws -> (Client.Remainder?, hasLock: Bool) {
    try await FakeSupervisor.withTemporaryDirectory { directory in
      let path = directory + "/s"
      let lock = path + ".lock"
      Descriptor(owning: open(lock, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)).close()
      let door = try Door(path: path)
      let playing = Task(executorPreference: ThreadExecutor(name: "shutdown", maximumThreads: 1)) {
        let peer = try door.greet()
        try peer.reply(PingRequest.self, PingRequest())
        try peer.reply(ShutdownRequest.self, result)
        peer.close()
        rest(lock)
      }
      let left = try await Client.test(path).shutDown(within: limit)
      let hasLock = access(lock, F_OK) == 0
      try await playing.value
      return (left, hasLock)
    }
  }

  @Test("S24: a supervisor in a program that goes on is gone when its lock is")
  func embedded() async throws {
    let (left, hasLock) = try await shutDown(ShutdownRequest.Result(exits: false), within: .seconds(300)) { lock in
      // The client finds the lock a few times before it is removed.
      usleep(20_000)
      unlink(lock)
    }
    #expect(left == nil && !hasLock)
  }

  @Test("S24: a lock that stays is named after the time limit")
  func lockStays() async throws {
    let (left, _) = try await shutDown(ShutdownRequest.Result(exits: true), within: .milliseconds(1)) { _ in }
    guard case .lock(let path) = left else {
      Issue.record("\(left as Any)")
      return
    }
    #expect(path.hasSuffix("/s.lock"))
  }
}
