import Glibc
import Platform
import Testing

@testable import EventLoop

@Suite("SharedLoop")
struct SharedLoopTests {
  @Test("All callers get the same loop, and if the first start fails, the next call tries again")
  func sharing() throws {
    let shared = SharedLoop(name: "shared")
    #expect(throws: SystemError.self) { _ = try FaultInjection.refusing([1], with: EAGAIN) { _ = try shared.get() } }
    let loop = try shared.get()
    defer { loop.stop() }
    #expect(try shared.get() === loop)
  }
}
