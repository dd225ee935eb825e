import Testing

@testable import InitSupervisor

@Suite("Limits")
struct LimitsTests {
  @Test("Clients may hold 256 MiB, or a quarter of the memory that the process may have if that is less")
  func clientBytes() {
    #expect(Limits.memoryOfClients(within: nil) == 256 << 20)
    #expect(Limits.memoryOfClients(within: 1 << 40) == 256 << 20)
    #expect(Limits.memoryOfClients(within: 1 << 30) == 256 << 20)
    #expect(Limits.memoryOfClients(within: (1 << 30) - 4096) == (256 << 20) - 1024)
    #expect(Limits.memoryOfClients(within: 64 << 20) == 16 << 20)
  }
}
