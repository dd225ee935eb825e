import InitModel
import Testing

@testable import InitWire

struct FrameTests {
  @Test("a frame is its length, big-endian in four bytes, then the payload (protocol §1)")
  func layout() throws {
    #expect(try Frame.encode(bytes("{}")) == [0, 0, 0, 2] + bytes("{}"))
    let long = [UInt8](repeating: 0x20, count: 0x01_0203)
    #expect(try Frame.encode(long) == [0, 1, 2, 3] + long)
  }

  @Test("a frame that the receiver would refuse isn't created")
  func limits() {
    #expect(throws: FrameFault.empty) { try Frame.encode([]) }
    #expect(throws: FrameFault.tooLong(length: 5, limit: 4)) { try Frame.encode([1, 2, 3, 4, 5], limit: 4) }
    #expect(throws: Never.self) { try Frame.encode([1, 2, 3, 4], limit: 4) }
  }

  @Test("a payload for a client is smaller than 16 MiB, so the first byte of every frame is 0 (protocol §1)")
  func largest() throws {
    let largest = [UInt8](repeating: 0x20, count: 16 * 1024 * 1024 - 1)
    #expect(try Frame.encode(largest).prefix(4) == [0, 0xFF, 0xFF, 0xFF])
    #expect(throws: FrameFault.tooLong(length: 16 * 1024 * 1024, limit: Int.max)) {
      try Frame.encode(largest + [0x20], limit: .max)
    }
  }
}
