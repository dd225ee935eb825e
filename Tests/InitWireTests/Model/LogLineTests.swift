import InitModel
import Testing

@testable import InitWire

struct LogLineTests {
  @Test("a log line is written as documented (protocol §4)")
  func line() throws {
    try expectRoundTrip(
      #"{"time":1.5,"initializer":"migrate","run":4,"stream":"stderr","line":"a/b"}"#,
      LogLine(time: 1.5, initializer: "migrate", run: 4, stream: .stderr, line: "a/b"))
    try expectRoundTrip(
      #"{"time":1.5,"initializer":"a","run":4,"attempt":2,"pass":3,"instance":"i","stream":"stdout","line":""}"#,
      LogLine(time: 1.5, initializer: "a", run: 4, attempt: 2, pass: 3, instance: "i", stream: .stdout, line: ""))
  }
}
