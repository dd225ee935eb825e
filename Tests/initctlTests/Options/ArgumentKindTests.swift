import InitText
import Testing

@testable import CommandLineOptions
@testable import initctl

struct ArgumentKindTests {
  @Test(
    "A duration is written as in a manifest",
    arguments: [("500ms", 0.5), ("30s", 30), ("2m", 120), ("1.5", 1.5), ("0", 0), ("0.25s", 0.25), ("1.5m", 90)])
  func readable(text: String, seconds: Double) throws {
    #expect(try ArgumentKind<Duration>.duration.read(text).inSeconds == seconds)
  }

  @Test(
    "Anything else is wrong, and a duration that exceeds the protocol's limit",
    arguments: [
      "", "s", "ms", "-1", "-1s", "1 s", "1d", "nan", "inf", "0x10", "1e3", "1.2.3", "1,5", "999999999999",
      "1000000000",
    ])
  func unreadable(text: String) {
    #expect(throws: InvalidArgument.self) { try ArgumentKind<Duration>.duration.read(text) }
  }
}
