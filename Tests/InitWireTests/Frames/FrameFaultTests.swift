import InitModel
import Testing

@testable import InitWire

struct FrameFaultTests {
  @Test("only lengths from 1 to the limit are valid (protocol §1)")
  func length() {
    #expect(throws: FrameFault.empty) { try FrameFault.check(length: 0, limit: 10) }
    #expect(throws: Never.self) { try FrameFault.check(length: 1, limit: 10) }
    #expect(throws: Never.self) { try FrameFault.check(length: 10, limit: 10) }
    #expect(throws: FrameFault.tooLong(length: 11, limit: 10)) { try FrameFault.check(length: 11, limit: 10) }
  }

  @Test("each fault has a message with a remedy, and is answered with −32700")
  func words() {
    #expect(
      WireError(FrameFault.tooLong(length: 5000, limit: 4096))
        == WireError(.parseError, "invalid frame: its length is 5000 bytes; the maximum is 4096"))
    #expect(
      FrameFault.foreign(firstByte: 0x47).description
        == "invalid frame: its first byte is 71 instead of 0; send a 4-byte big-endian length, then JSON")
    #expect(FrameFault.empty.description == "invalid frame: its length is 0; send at least one byte of JSON")
  }
}
