internal import InitTimeline

/// The time axis of a plot: the x of times, and ticks at round times.
struct PlotScale: Sendable {
  /// A labelled time.
  struct Tick: Sendable, Equatable {
    /// In seconds from the opening.
    let time: Double
    let label: String
  }

  private let duration: Double
  private let start: Double
  private let end: Double

  init(duration: Double, from start: Double, to end: Double) {
    // A pass may have taken no time.
    self.duration = max(duration, 1e-4)
    self.start = start
    self.end = end
  }

  /// Returns the horizontal position of a time in seconds from the opening, within the axis.
  func x(_ time: Double) -> Double { start + (end - start) * min(max(time / duration, 0), 1) }

  /// At most eleven ticks, starting from 0.
  var ticks: [Tick] {
    let step = Self.step(duration / 6)
    return (0...max(1, Int((duration / step + 1e-9).rounded(.down)))).map { index in
      Tick(time: Double(index) * step, label: label(Double(index) * step, step: step))
    }.filter { $0.time <= duration * 1.0001 }
  }

  /// Returns the next round time: 1, 2 or 5 times a power of ten, or a round part of a minute, an hour or a day.
  static func step(_ least: Double) -> Double {
    let long: [Double] = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200]
    if least > 50 {
      if let step = long.first(where: { $0 >= least }) { return step }
      return (least / 86_400).rounded(.up) * 86_400
    }
    var power = 1e-6
    while power * 10 <= least { power *= 10 }
    let step = [power, 2 * power, 5 * power, 10 * power].first { $0 >= least } ?? 10 * power
    // A decimal fraction has an error that would be seen after many additions.
    return step == 50 ? 60 : step
  }

  private func label(_ time: Double, step: Double) -> String {
    if time == 0 { return "0" }
    if step < 0.001 { return "\(Self.decimal(time * 1000, decimals: step < 0.0001 ? 2 : 1)) ms" }
    if step < 0.1 || duration < 1 { return "\(Int((time * 1000).rounded())) ms" }
    if step < 60 { return "\(Self.decimal(time, decimals: step < 1 ? 1 : 0)) s" }
    return Self.words(time)
  }

  /// Formats a duration for people: `0.4 ms`, `210 ms`, `1.2 s`, `2 min 13 s`, `3 h 5 min`.
  static func words(_ seconds: Double) -> String {
    let seconds = min(max(seconds, 0), 1e10)
    if seconds < 0.00995 { return "\(decimal(seconds * 1000, decimals: 1)) ms" }
    return Phrases.duration(seconds)
  }

  /// Formats a number with decimals, without zeros at its end.
  static func decimal(_ number: Double, decimals: Int) -> String {
    let power = (0..<decimals).reduce(1) { product, _ in product * 10 }
    let scaled = Int((number * Double(power)).rounded())
    let sign = scaled < 0 ? "-" : ""
    let fraction = "\(power + abs(scaled) % power)".dropFirst()
    let trimmed = String(fraction.reversed().drop { $0 == "0" }.reversed())
    return sign + "\(abs(scaled) / power)" + (trimmed.isEmpty ? "" : "." + trimmed)
  }
}
