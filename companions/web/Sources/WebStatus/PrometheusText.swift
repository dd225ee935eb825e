/// Writes metrics in Prometheus' text format.
struct PrometheusText {
  /// The kind of a metric.
  enum Kind: String {
    case counter, gauge, histogram
  }

  private(set) var text = ""
  private var name = ""

  /// Begins a metric; its samples follow.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Writes a sample.
  mutating func sample(_ value: Int) { sample([], value) }

  /// Writes a sample.
  mutating func sample(_ labels: [(String, String)], _ value: Int) { line("", labels, "\(value)") }

  /// Writes a sample.
  mutating func sample(_ labels: [(String, String)], _ value: Double) { line("", labels, Self.number(value)) }

  /// Writes a histogram.
  mutating func sample(_ labels: [(String, String)], _ histogram: Histogram) {
    var total = 0
    for (index, count) in histogram.counts.enumerated() {
      total += count
      let bound = index < Histogram.bounds.count ? Self.number(Histogram.bounds[index]) : "+Inf"
      line("_bucket", labels + [("le", bound)], "\(total)")
    }
    line("_sum", labels, Self.number(histogram.sum))
    line("_count", labels, "\(total)")
  }

  private mutating func line(_ suffix: String, _ labels: [(String, String)], _ value: String) {
    let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    text += "\(name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
