import FoundationEssentials

/// A time for people: when it was, and how long ago.
///
/// `page.js` keeps the latter up to date.
struct Moment {
  /// The time, in seconds since the Unix epoch.
  let seconds: Double
  /// The present.
  let now: Double

  /// The date and time in UTC, followed by how long ago it was.
  var html: HTML { "\(date) <span class=\"note\">\(ago)</span>" }

  /// The date and time in UTC.
  var date: HTML {
    guard seconds.isFinite, abs(seconds) < 1e11 else { return "?" }
    let text = Date(timeIntervalSince1970: seconds.rounded(.down)).formatted(.iso8601)
    let words = text.replacing("T", with: " ").replacing("Z", with: "")
    return "<time datetime=\"\(text)\">\(words)</time>"
  }

  /// `10 s ago`.
  var ago: HTML { "\(age) ago" }

  /// How long ago it was: `10 s`.
  var age: HTML { "<span data-age=\"\(seconds.attribute)\">\((now - seconds).wholeWords)</span>" }
}
