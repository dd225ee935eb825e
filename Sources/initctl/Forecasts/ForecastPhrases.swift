internal import InitForecasts
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire

/// A forecast for people: the prediction, and its basis.
struct ForecastPhrases {
  private let forecast: Forecast
  private let boundByCores: CoresUsed?
  private let timeline: Timeline
  private let whatIf: WhatIf

  /// `boundByCores` is the number of used cores, if more places wouldn't help because no core is free.
  init(_ forecast: Forecast, boundByCores: CoresUsed?, of timeline: Timeline, _ whatIf: WhatIf) {
    self.forecast = forecast
    self.boundByCores = boundByCores
    self.timeline = timeline
    self.whatIf = whatIf
  }

  /// All sentences, the prediction first.
  var all: [String] {
    if let failure = forecast.failure {
      return ["a start would fail again: \(TerminalText.escape(failure))"]
    }
    return [prediction] + [usual, unknown, uncounted, moments, cores].compactMap(\.self)
  }

  private var prediction: String {
    let predicted = Phrases.duration(forecast.timeline.duration)
    guard !forecast.isStart else {
      let least = forecast.unknown.isEmpty ? "" : "at least "
      return "predicted for a start that completes: \(least)\(predicted) \(conditions)"
    }
    let change = Phrases.percent(timeline.duration, forecast.timeline.duration).map { " (\($0))" } ?? ""
    return "predicted: \(predicted)\(change) \(conditions)"
  }

  private var usual: String? {
    guard !forecast.usual.isEmpty else { return nil }
    return
      "as long as usual, because they did not run to completion: \(TerminalText.escape(Phrases.list(forecast.usual)))"
  }

  private var unknown: String? {
    guard !forecast.unknown.isEmpty else { return nil }
    let names = TerminalText.escape(Phrases.list(forecast.unknown))
    return "unknown, because they did not run to completion in any pass: how long \(names) "
      + (forecast.unknown.count == 1 ? "takes" : "take")
  }

  private var uncounted: String? {
    guard !forecast.uncounted.isEmpty else { return nil }
    let names = TerminalText.escape(Phrases.list(forecast.uncounted))
    return "unknown, so it counts as waiting: the CPU time of \(names)"
  }

  private var moments: String? {
    guard !forecast.moments.isEmpty else { return nil }
    let names = TerminalText.escape(Phrases.list(forecast.moments))
    let verb = forecast.moments.count == 1 ? "ends" : "end"
    return "\(names) \(verb) when the thing that it waits for is up, as recorded"
  }

  private var cores: String? {
    boundByCores.map { "\($0.phrase(forecast.isMeasured ? "used" : "would use")): more concurrency won't help" }
  }

  private var conditions: String {
    var parts: [String] = []
    if let concurrency = whatIf.concurrency { parts.append("with concurrency \(concurrency)") }
    parts += whatIf.groups.sorted { $0.key < $1.key }.map { "with \($1) places in the group \($0)" }
    parts += whatIf.without.sorted().map { "without \($0)" }
    parts += whatIf.withoutDependencies.map { "without the dependency of \($0.dependent) on \($0.dependency)" }.sorted()
    parts += whatIf.speedups.sorted { $0.key < $1.key }.map { "with \($0) \($1) times faster" }
    parts += whatIf.durations.sorted { $0.key < $1.key }.map { "with \($0) in \(Phrases.duration($1))" }
    parts += whatIf.moments.sorted().map { "with the end of \($0) as recorded" }
    return parts.isEmpty ? "with nothing changed" : parts.joined(separator: ", ")
  }
}

extension CoresUsed {
  /// Returns a clause: `these runs used 1.5 of 2 cores, processes 0.2, and other programs 0.3`.
  ///
  /// `verb` is the verb for the runs.
  func phrase(_ verb: String) -> String {
    let beside = [("processes", byProcesses), ("other programs", byOthers)].filter { $0.1 >= 0.05 }
      .map { "\($0) \(Phrases.tenths($1))" }
    let rest =
      beside.isEmpty ? "" : ", " + (beside.dropLast() + ["and " + beside[beside.count - 1]]).joined(separator: ", ")
    return "these runs \(verb) \(Phrases.cores(byRuns, of: cores))\(rest)"
  }
}
