/// The number of a trace: 128 bits, not 0.
public struct TraceID: Sendable, Hashable {
  /// The first 64 bits.
  public let high: UInt64
  /// The last 64 bits.
  public let low: UInt64

  /// Creates the number; 0 isn't valid, and becomes 1.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = high | low == 0 ? 1 : low
  }
}

/// A span of a trace, from a text of the W3C's trace context.
struct SpanContext: Sendable, Hashable {
  let trace: TraceID
  let span: UInt64
  /// Whether the trace may be recorded.
  let isSampled: Bool

  /// Reads `00-TRACE-SPAN-FLAGS`; nil if it is invalid.
  init?(_ text: String?) {
    let parts = (text ?? "").split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [2, 32, 16, 2], parts[0] == "00",
      let high = UInt64(parts[1].prefix(16), radix: 16),
      let low = UInt64(parts[1].suffix(16), radix: 16), let span = UInt64(parts[2], radix: 16),
      let flags = UInt8(parts[3], radix: 16), high | low != 0, span != 0
    else { return nil }
    trace = TraceID(high: high, low: low)
    self.span = span
    isSampled = flags & 1 == 1
  }
}

/// Numbers that depend only on a text: a pass that is exported again gets the same numbers.
struct StableNumbers {
  private var state: UInt64

  init(_ text: String) {
    // FNV-1a.
    state = text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Returns the next number, which isn't 0 (SplitMix64).
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    mixed ^= mixed >> 31
    return mixed == 0 ? next() : mixed
  }
}
