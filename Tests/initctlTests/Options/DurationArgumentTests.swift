import Testing

@testable import initctl

struct DurationArgumentTests {
  @Test(
    "A duration is milliseconds, seconds or minutes, or a number of seconds",
    arguments: [("500ms", 0.5), ("30s", 30), ("2m", 120), ("1.5", 1.5), ("0", 0), ("0.25s", 0.25), ("1.5m", 90)])
  func readable(text: String, seconds: Double) {
    #expect(DurationArgument(argument: text)?.seconds == seconds)
  }

  @Test(
    "Anything else is refused",
    arguments: ["", "s", "ms", "-1", "-1s", "1 s", "1d", "nan", "inf", "0x10", "1e3", "1.2.3", "1,5", "999999999999"])
  func unreadable(text: String) {
    #expect(DurationArgument(argument: text) == nil)
  }
}
