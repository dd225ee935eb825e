/// The header that says when to try again: seconds, or a date.
enum RetryAfter {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns the seconds from `now`; nil if the text is neither.
  static func seconds(_ text: String, now: Double) -> Double? {
    if let seconds = UInt32(text) { return Double(seconds) }
    return date(text).map { max(0, $0 - now) }
  }

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, in seconds since the Unix epoch.
  private static func date(_ text: String) -> Double? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
      let month = months.firstIndex(of: String(parts[2])),
      let year = Int(parts[3]), (1970...9999).contains(year)
    else { return nil }
    let time = parts[4].split(separator: ":").map { Int($0) ?? -1 }
    guard time.count == 3, (1...31).contains(day), time.allSatisfy({ (0..<61).contains($0) }) else { return nil }
    // The days before this day, with March as a year's first month.
    let shifted = month < 2 ? year - 1 : year
    let monthsSinceMarch = (month + 10) % 12
    let days =
      shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (monthsSinceMarch * 153 + 2) / 5 + day - 719_469
    return Double(days * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2])
  }
}
