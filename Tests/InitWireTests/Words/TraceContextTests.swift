import InitModel
import Testing

@testable import InitWire

struct TraceContextTests {
  private static let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test("A trace context of version 00 is read, and written unchanged")
  func valid() throws {
    let context = try #require(TraceContext(Self.text))
    #expect(context.trace == TraceContext.TraceID(high: 0x4bf9_2f35_77b3_4da6, low: 0xa3ce_929d_0e0e_4736))
    #expect(context.span == 0x00f0_67aa_0ba9_02b7)
    #expect(context.isSampled)
    #expect(context.description == Self.text)
    let unsampled = Self.text.dropLast(2) + "00"
    #expect(TraceContext(String(unsampled))?.description == String(unsampled))
    #expect(TraceContext(String(Self.text.dropLast(2) + "ff"))?.description == Self.text)
    #expect(TraceContext(String(Self.text.dropLast(2) + "fe"))?.description == String(unsampled))
  }

  @Test(
    "Anything else is invalid",
    arguments: [
      "", "00", text + "-", text + "0", " " + text, text + "\n", text.uppercased(),
      "01" + text.dropFirst(2), "ff" + text.dropFirst(2), "0" + text.dropFirst(2), String(text.dropLast()),
      "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
      "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e47361-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902bé-1",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
      "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-00",
    ])
  func invalid(text: String) {
    #expect(TraceContext(text) == nil)
  }

  @Test("Half of a trace's number may be 0, but no number is")
  func zero() {
    let half = "00-00000000000000000000000000000001-0000000000000001-01"
    #expect(TraceContext(half)?.description == half)
    let other = "00-00000000000000010000000000000000-0000000000000001-01"
    #expect(TraceContext(other)?.description == other)
    #expect(TraceContext(trace: TraceContext.TraceID(high: 0, low: 0), span: 0).description == half)
  }
}
