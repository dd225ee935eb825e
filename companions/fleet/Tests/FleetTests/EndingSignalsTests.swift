import Fleet
import Testing

@Suite("EndingSignals")
struct EndingSignalsTests {
  @Test("A second signal skips the waiting, unless it is the same one, at once: then it repeats the first")
  func meanings() {
    var signals = EndingSignals()
    let moments = [0, 1, 99, 100, 5000].map { Duration.seconds(7) + .milliseconds($0) }
    #expect(moments.map { signals.record(15, at: $0) } == [.end, .echo, .echo, .skip, .skip])
    // A different signal doesn't count as a repetition.
    var other = EndingSignals()
    #expect([15, 2].map { other.record($0, at: .zero) } == [.end, .skip])
  }
}
