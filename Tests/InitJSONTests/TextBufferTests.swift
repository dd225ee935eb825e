import Testing

@testable import InitJSON

@Suite("TextBuffer")
struct TextBufferTests {
  @Test("A text that has much unused room is copied to memory of its size; others stay where they are")
  func fitted() {
    var text: [UInt8] = []
    text.reserveCapacity(200_000)
    for byte in 0..<100_000 { text.append(UInt8(truncatingIfNeeded: byte)) }
    let fitted = text.fitted
    #expect(fitted == text)
    // An allocation may have a page more than is asked for.
    #expect(fitted.capacity <= fitted.count + 4096 && text.capacity >= 200_000)
    #expect(fitted.fitted.withUnsafeBytes(\.baseAddress) == fitted.withUnsafeBytes(\.baseAddress))
    let small: [UInt8] = [1]
    #expect(small.fitted.withUnsafeBytes(\.baseAddress) == small.withUnsafeBytes(\.baseAddress))
  }
}
