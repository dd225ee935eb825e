/// Moments as text.
package enum MomentText {
  /// Formats a moment in UTC, in the format of RFC 3339, with milliseconds.
  package static func print(_ secondsSinceEpoch: Double) -> String {
    // The range is from year 0 to 9999, so nothing overflows and the year has four digits.
    let milliseconds = Int((min(max(secondsSinceEpoch, -62_167_219_200), 253_402_300_799) * 1000).rounded())
    let days = floorDivide(milliseconds, 86_400_000)
    let ofDay = floorModulo(milliseconds, 86_400_000)
    // The civil calendar, in years that begin in March: leap days come last.
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let ofEra = floorModulo(shifted, 146_097)
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let dayOfYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let second = ofDay / 1000
    return "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))T\((second / 3600).digits(2)):"
      + "\((second / 60 % 60).digits(2)):\((second % 60).digits(2)).\((ofDay % 1000).digits(3))Z"
  }

  private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
    (number - floorModulo(number, divisor)) / divisor
  }

  private static func floorModulo(_ number: Int, _ divisor: Int) -> Int {
    let remainder = number % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
