/// A span of a distributed trace, in the form of the W3C's trace context (version 00): `00-TRACE-SPAN-FLAGS`.
///
/// A program that receives it makes its own spans children of this span.
package struct TraceContext: Hashable, Sendable {
  /// The environment variable of a command that contains it.
  package static let variable = "TRACEPARENT"
  /// The environment variable with further members of the same trace.
  package static let stateVariable = "TRACESTATE"

  package let trace: TraceID
  /// The span's number in the trace, not 0.
  package let span: UInt64
  /// Whether the trace may be recorded.
  package let isSampled: Bool

  /// The number of a trace: 128 bits, not 0.
  package struct TraceID: Hashable, Sendable {
    /// The first 64 bits.
    package let high: UInt64
    /// The last 64 bits.
    package let low: UInt64

    /// Creates an id from a number.
    ///
    /// The number 0 isn't valid, and becomes 1.
    package init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = high | low == 0 ? 1 : low
    }
  }

  /// Creates a span of a trace.
  ///
  /// The number 0 isn't valid, and becomes 1.
  package init(trace: TraceID, span: UInt64, isSampled: Bool = true) {
    self.trace = trace
    self.span = span == 0 ? 1 : span
    self.isSampled = isSampled
  }

  /// Reads the text of version 00; nil if it is invalid.
  ///
  /// Only the flag for sampling is known.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 32, 16, 2], parts[0].elementsEqual("00".utf8),
      let high = Self.number(parts[1].prefix(16)), let low = Self.number(parts[1].dropFirst(16)),
      let span = Self.number(parts[2]), let flags = Self.number(parts[3]), high | low != 0, span != 0
    else { return nil }
    self.init(trace: TraceID(high: high, low: low), span: span, isSampled: flags & 1 == 1)
  }

  /// Parses the number with these hexadecimal digits, which must be in lower case.
  private static func number(_ digits: Substring.UTF8View) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }
}

extension TraceContext: CustomStringConvertible {
  package var description: String {
    String(unsafeUninitializedCapacity: 55) { text in
      for index in 0..<55 { text[index] = UInt8(ascii: "0") }
      for index in [2, 35, 52] { text[index] = UInt8(ascii: "-") }
      for (number, end) in [(trace.high, 19), (trace.low, 35), (span, 52), (isSampled ? 1 : 0, 55)] {
        var rest = number
        var index = end
        while rest > 0 {
          index -= 1
          let digit = UInt8(truncatingIfNeeded: rest) & 15
          text[index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
          rest >>= 4
        }
      }
      return 55
    }
  }
}
