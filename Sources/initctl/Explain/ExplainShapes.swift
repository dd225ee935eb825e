internal import InitForecasts
internal import InitJSON
internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

// The JSON of the commands that explain a pass. Durations are in seconds, rounded to the microsecond, which is the precision of the record.

/// The output of `blame --json`.
struct BlameShape: Shape {
  /// Where the time of one initializer went.
  struct Row: Shape {
    private(set) var summary = Pass.InitializerTimes()
    /// The phase, if launch and the active pass are shown together.
    private(set) var phase: Word<Phase>?

    init() {}

    init(_ each: InitializerTimeline) {
      summary = Pass.InitializerTimes(
        name: each.name, outcome: each.outcome, attempts: each.runs.count, waited: each.waited.rounded6,
        queued: each.queued.rounded6, running: each.running.rounded6, cpu: each.cpu?.rounded6,
        backoff: each.backoff.rounded6, finished: each.finished.rounded6)
      phase = each.phase.map { .known($0) }
    }

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try summary.visit(&json)
      try json.optional("phase", &phase)
    }
  }

  private var pass = 0
  private var phase: Word<Phase> = .unknown("")
  private var outcome: Word<InitializerStatus> = .unknown("")
  private var held: Double = 0
  private var duration: Double = 0
  /// The initializers, the longest run first.
  private(set) var initializers: [Row] = []

  init() {}

  init(_ timeline: Timeline) {
    pass = timeline.pass.pass
    phase = timeline.phaseWord
    outcome = .known(timeline.outcome)
    held = timeline.held.rounded6
    duration = timeline.duration.rounded6
    initializers = timeline.initializers.map(Row.init)
      .sorted { ($1.summary.running, $0.summary.name) < ($0.summary.running, $1.summary.name) }
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("phase", &phase)
    try json.required("outcome", &outcome)
    try json.required("held", &held)
    try json.required("duration", &duration)
    try json.required("initializers", &initializers)
  }
}

/// The output of `critical-path --json`.
struct CriticalPathShape: Shape {
  /// One initializer of the path.
  struct Step: Shape {
    fileprivate var name = ""
    fileprivate var phase: Word<Phase>?
    fileprivate var link = ""
    fileprivate var from: String?
    fileprivate var queued: Double = 0
    fileprivate var running: Double = 0
    fileprivate var backoff: Double = 0
    fileprivate var share: Double = 0

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.optional("phase", &phase)
      try json.required("link", &link)
      try json.optional("from", &from)
      try json.required("queued", &queued)
      try json.required("running", &running)
      try json.required("backoff", &backoff)
      try json.required("share", &share)
    }
  }

  /// The slack of one initializer.
  struct Slack: Shape {
    fileprivate var name = ""
    fileprivate var phase: Word<Phase>?
    fileprivate var slack: Double = 0

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.optional("phase", &phase)
      try json.required("slack", &slack)
    }
  }

  private var pass = 0
  private var phase: Word<Phase> = .unknown("")
  private var duration: Double = 0
  private var path: [Step] = []
  private var slack: [Slack] = []

  init() {}

  init(_ timeline: Timeline, _ critical: CriticalPath) {
    pass = timeline.pass.pass
    phase = timeline.phaseWord
    duration = timeline.duration.rounded6
    path = critical.steps.map { step in
      Step(
        name: step.name, phase: step.phase.map { .known($0) }, link: step.link.rawValue, from: step.from,
        queued: step.queued.rounded6,
        running: step.running.rounded6, backoff: step.backoff.rounded6, share: step.share.rounded6)
    }
    slack = critical.slack.map {
      Slack(name: $0.name, phase: $0.phase.map { .known($0) }, slack: $0.slack.rounded6)
    }
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("phase", &phase)
    try json.required("duration", &duration)
    try json.required("path", &path)
    try json.required("slack", &slack)
  }
}

/// The output of `what-if --json`.
struct WhatIfShape: Shape {
  private var pass = 0
  private var duration: Double = 0
  private var predicted: Double = 0
  private var path: [String] = []
  /// The initializers whose duration isn't known, because they didn't run to completion: the prediction is a lower bound.
  private var unknown: [String]?

  init() {}

  init(_ timeline: Timeline, _ forecast: Forecast, _ path: CriticalPath) {
    pass = timeline.pass.pass
    duration = timeline.duration.rounded6
    predicted = forecast.timeline.duration.rounded6
    self.path = path.steps.map(\.name)
    unknown = forecast.unknown.isEmpty ? nil : forecast.unknown
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("duration", &duration)
    try json.required("predicted", &predicted)
    try json.required("path", &path)
    try json.optional("unknown", &unknown)
  }
}

/// The output of `compare --json`.
///
/// `a` is `"median"` for the median of earlier passes. An initializer that didn't run in a pass ran for 0 s.
struct ComparisonShape: Shape {
  /// One initializer.
  struct Row: Shape {
    fileprivate var name = ""
    fileprivate var running: [Double] = []
    /// False if it didn't run to completion in both.
    fileprivate var comparable: Bool?

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.required("running", &running)
      try json.optional("comparable", &comparable)
    }
  }

  private var first: Int?
  private var second = 0
  private var duration: [Double] = []
  /// False if the passes didn't run the same initializers to completion.
  private var comparable: Bool?
  private var initializers: [Row] = []

  init() {}

  init(_ comparison: Comparison, _ first: Int?, _ second: Int) {
    self.first = first
    self.second = second
    duration = [comparison.before.rounded6, comparison.after.rounded6]
    comparable = comparison.isComparable ? nil : false
    initializers = comparison.rows.map {
      Row(
        name: $0.name, running: [($0.before ?? 0).rounded6, ($0.after ?? 0).rounded6],
        comparable: $0.difference == nil ? nil : false)
    }
  }

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var median = "median"
    if first == nil { try json.required("a", &median) } else { try json.optional("a", &first) }
    try json.required("b", &second)
    try json.required("duration", &duration)
    try json.optional("comparable", &comparable)
    try json.required("initializers", &initializers)
  }
}

extension Timeline {
  /// The phase, or `all` for launch and the active pass together.
  fileprivate var phaseWord: Word<Phase> { joint == nil ? pass.phase : .unknown("all") }
}

extension Double {
  /// The number, rounded to six decimals.
  fileprivate var rounded6: Double { (self * 1e6).rounded() / 1e6 }
}
