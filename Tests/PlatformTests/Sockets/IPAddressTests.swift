import Testing

@testable import Platform

@Suite("IPAddress")
struct IPAddressTests {
  @Test("Addresses are read and written", arguments: ["127.0.0.1", "255.255.255.255", "::", "::1", "fe80::1:2"])
  func text(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == text)
    #expect(address.isIPv6 == text.contains(":"))
    #expect(IPAddress(address.bytes) == address)
  }

  @Test(
    "Names, short forms and zones aren't addresses", arguments: ["localhost", "127.1", "1.2.3.4.5", "fe80::1%lo", ""])
  func others(_ text: String) { #expect(IPAddress(text) == nil) }

  @Test("An address has 4 or 16 bytes")
  func counts() { #expect([0, 3, 5, 15, 17].allSatisfy { IPAddress([UInt8](repeating: 1, count: $0)) == nil }) }
}
