import Testing

@testable import InitSupervisor

@Suite("InstanceID")
struct InstanceIDTests {
  @Test("An id has 128 bits in hexadecimal, with leading zeros, and differs each time")
  func make() {
    let made = (0..<1000).map { _ in InstanceID.make() }
    #expect(made.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    #expect(Set(made).count == 1000)
  }
}
