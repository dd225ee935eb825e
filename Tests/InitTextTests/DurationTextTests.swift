import Testing

@testable import InitText

@Suite struct DurationTextTests {
  @Test(
    "A duration is a number with a unit, or a number of seconds",
    arguments: [
      ("500ms", Duration.milliseconds(500)), ("30s", .seconds(30)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
      ("10", .seconds(10)), ("0", .zero), ("1.5", .milliseconds(1500)), ("1.5s", .milliseconds(1500)),
      ("0.5m", .seconds(30)), ("0.25h", .seconds(900)), ("0.000000001s", .nanoseconds(1)),
      ("0.5ms", .microseconds(500)), ("007s", .seconds(7)), ("3153600000", DurationText.longest),
    ])
  func parse(text: String, expected: Duration) throws {
    #expect(try DurationText.parse(text) == expected)
  }

  @Test(
    "An invalid duration is refused with a remedy",
    arguments: [
      ("10 s", "\"10 s\" is not a duration; write 10s, without a space"),
      ("-5s", "a duration cannot be negative: \"-5s\"; \(usual)"),
      ("", "\"\" is not a duration; \(usual)"), ("s", "\"s\" is not a duration; \(usual)"),
      ("5min", "\"5min\" is not a duration; \(usual)"), ("5S", "\"5S\" is not a duration; \(usual)"),
      ("1d", "\"1d\" is not a duration; \(usual)"), (".5s", "\".5s\" is not a duration; \(usual)"),
      ("5.", "\"5.\" is not a duration; \(usual)"), ("1.2.3", "\"1.2.3\" is not a duration; \(usual)"),
      ("1e3", "\"1e3\" is not a duration; \(usual)"), ("+5", "\"+5\" is not a duration; \(usual)"),
      ("٣s", "\"٣s\" is not a duration; \(usual)"), ("x y", "\"x y\" is not a duration; \(usual)"),
      ("3153600001", "\"3153600001\" is longer than a hundred years; write a shorter duration"),
      ("99999999999999999999", "\"99999999999999999999\" is not a duration; \(usual)"),
      ("999999999999h", "\"999999999999h\" is longer than a hundred years; write a shorter duration"),
      ("0.0000001ms", "\"0.0000001ms\" is finer than a nanosecond; write fewer digits"),
    ])
  func refuse(text: String, expected: String) {
    do throws(DurationText.Mistake) {
      let span = try DurationText.parse(text)
      Issue.record("\(text) was read as \(span)")
    } catch {
      #expect("\(error.problem); \(error.remedy)" == expected)
    }
  }

  @Test(
    "A printed duration is short, and is read back as the same duration",
    arguments: [
      (Duration.zero, "0s"), (.milliseconds(500), "500ms"), (.seconds(30), "30s"), (.seconds(90), "90s"),
      (.seconds(120), "2m"), (.seconds(7200), "2h"), (.milliseconds(1500), "1.5s"), (.nanoseconds(1), "0.000000001s"),
      (.seconds(3) + .nanoseconds(20), "3.00000002s"),
    ])
  func print(span: Duration, expected: String) throws {
    #expect(DurationText.print(span) == expected)
    #expect(try DurationText.parse(expected) == span)
  }
}

private let usual = "write e.g. 500ms, 30s, 2m or 1h, or a number of seconds"
