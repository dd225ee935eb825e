/// The page `/initializer`: how long an initializer has taken in the last passes.
public struct TrendPage: Sendable {
  /// One pass.
  public struct Point: Sendable {
    /// When the pass started, in seconds since the Unix epoch.
    public var started: Double
    /// The phase of the pass.
    public var phase: String
    /// The outcome of the initializer in the protocol's words.
    public var outcome: String
    /// The time from the completion of the dependencies to the first attempt, in seconds.
    public var queued: Double
    /// The sum of the durations of all attempts, in seconds.
    public var running: Double
    /// How many attempts the initializer had.
    public var attempts: Int
    /// Whether the initializer was on the critical path.
    public var isCritical: Bool

    /// Describes a pass.
    public init(
      started: Double, phase: String, outcome: String, queued: Double, running: Double, attempts: Int, isCritical: Bool
    ) {
      self.started = started
      self.phase = phase
      self.outcome = outcome
      self.queued = queued
      self.running = running
      self.attempts = attempts
      self.isCritical = isCritical
    }
  }

  /// The name.
  public var name: String
  /// The passes, the oldest first.
  public var points: [Point]
  /// Why some or all of the passes can't be shown.
  public var problem: String?
  /// The time, in seconds since the Unix epoch.
  public var now: Double

  /// Describes the page.
  public init(name: String, points: [Point], problem: String? = nil, now: Double) {
    self.name = name
    self.points = points
    self.problem = problem
    self.now = now
  }

  /// The page.
  public var html: String {
    let problem: HTML = problem.map { "<p class=\"error\">\($0)</p>\n" } ?? ""
    let complete = points.filter { $0.outcome == "complete" }.map(\.running).sorted()
    let median: HTML =
      complete.isEmpty
      ? "" : "<p>Median of \(complete.count) complete: <b>\(complete[complete.count / 2].words)</b>.</p>\n"
    let content: HTML =
      points.isEmpty ? "<p>It hasn't run in a pass that is known here.</p>\n" : "\(median)\(picture)\(table)"
    return Document(
      title: "\(name) – start of the app", path: "", now: now, main: "<h1>\(name)</h1>\n\(problem)\(content)"
    ).html.text
  }

  private var picture: HTML {
    let longest = max(0.001, points.map(\.running).max() ?? 0)
    let width = 100.0 / Double(points.count)
    let bars = points.enumerated().map { index, each -> HTML in
      let height = max(1, 100 * each.running / longest)
      return """
        <rect data-kind="\(each.outcome)" x="\((Double(index) * width + width * 0.1).attribute)" \
        y="\((100 - height).attribute)" width="\((width * 0.8).attribute)" height="\(height.attribute)"/>

        """
    }
    let lines: [HTML] = [0, 50, 100].map { "<line x2=\"100\" y1=\"\($0)\" y2=\"\($0)\"/>" }
    return """
      <figure class="trend">
      <div class="axis" aria-hidden="true"><span>\(longest.words)</span><span>\((longest / 2).words)</span><span>0</span></div>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" \
      aria-label="Durations of the last \(points.count) passes, at most \(longest.words); the table has the numbers">
      \(lines)\(bars)</svg>
      <figcaption class="note"><span>\(Moment(seconds: points[0].started, now: now).html)</span>\
      <span>\(Moment(seconds: points[points.count - 1].started, now: now).html)</span></figcaption>
      </figure>

      """
  }

  private var table: HTML {
    let rows = points.reversed().map { each -> HTML in
      """
      <tr><td>\(Moment(seconds: each.started, now: now).html)</td><td>\(each.phase)</td><td>\(StartPage.badge(each.outcome))</td>\
      <td class="number">\(each.running.words)</td><td class="number">\(each.queued.words)</td>\
      <td class="number">\(each.attempts)</td><td>\(each.isCritical ? "yes" : "")</td></tr>

      """
    }
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="Passes"><table>
      <thead><tr><th scope="col">Started (UTC)</th><th scope="col">Phase</th><th scope="col">Outcome</th>\
      <th scope="col" class="number">Running</th><th scope="col" class="number">Queued</th>\
      <th scope="col" class="number">Attempts</th><th scope="col">Critical</th></tr></thead>
      <tbody>
      \(rows)</tbody></table></div>
      \(Document.scrollNote)
      """
  }
}
