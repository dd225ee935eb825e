public import Passes

/// The page `/history`: the passes.
public struct HistoryPage: Sendable {
  /// A pass in the table.
  public struct Row: Sendable {
    /// The address of the pass's page; nil if it has none.
    public var address: String?
    /// The phase.
    public var phase: Phase
    /// The start of the pass, in seconds since the Unix epoch.
    public var started: Double
    /// The outcome of the pass.
    public var outcome: Outcome
    /// The time from the opening of the pass to its end, in seconds.
    public var duration: Double
    /// Why the pass failed, or its critical path.
    public var detail: String

    /// Describes a pass.
    public init(
      address: String? = nil, phase: Phase, started: Double, outcome: Outcome, duration: Double, detail: String
    ) {
      self.address = address
      self.phase = phase
      self.started = started
      self.outcome = outcome
      self.duration = duration
      self.detail = detail
    }

    /// Describes a pass.
    public init(_ pass: EndedPass) {
      self.init(
        address: PassPage.address(instance: pass.instance, number: pass.number), phase: pass.phase,
        started: pass.started, outcome: pass.outcome, duration: pass.openDuration,
        detail: pass.failure?.message ?? pass.criticalPath.map(\.name).joined(separator: " → "))
    }
  }

  /// The passes, the newest first.
  public var rows: [Row]
  /// The address of the page with older passes.
  public var older: String?
  /// Why the history can't be shown, or isn't kept.
  public var problem: String?
  /// The time, in seconds since the Unix epoch.
  public var now: Double

  /// Describes the page.
  public init(rows: [Row], older: String? = nil, problem: String? = nil, now: Double) {
    self.rows = rows
    self.older = older
    self.problem = problem
    self.now = now
  }

  /// The page.
  public var html: String {
    let problem: HTML = problem.map { "<p class=\"error\">\($0)</p>\n" } ?? ""
    let older: HTML = older.map { "<p><a href=\"\($0)\" rel=\"next\">Older passes</a></p>\n" } ?? ""
    let table: HTML =
      !rows.isEmpty ? Self.table(rows, now: now) : self.problem != nil ? "" : "<p>No pass has ended yet.</p>\n"
    return Document(
      title: "History – start of the app", path: "/history", now: now,
      main: "<h1>History</h1>\n\(problem)\(table)\(older)"
    ).html.text
  }

  static func table(_ rows: [Row], now: Double) -> HTML {
    let longest = max(0.001, rows.map(\.duration).max() ?? 0)
    let lines = rows.map { each -> HTML in
      let moment = Moment(seconds: each.started, now: now)
      let time: HTML = each.address.map { "<a href=\"\($0)\">\(moment.date)</a>" } ?? moment.date
      return """
        <tr><td>\(time) <span class="note">\(moment.ago)</span></td><td>\(each.phase.rawValue)</td><td>\(StartPage.badge(each.outcome.rawValue))</td>\
        <td class="number">\(each.duration.words)</td>\
        <td class="wide"><svg class="bar" viewBox="0 0 \(longest.attribute) 10" preserveAspectRatio="none" aria-hidden="true" \
        data-kind="\(each.outcome.rawValue)"><rect width="\(each.duration.attribute)" height="10"/></svg></td>\
        <td class="note">\(each.detail)</td></tr>

        """
    }
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="Passes"><table>
      <thead><tr><th scope="col">Started (UTC)</th><th scope="col">Phase</th><th scope="col">Outcome</th>\
      <th scope="col" class="number">Duration</th><th scope="col"><span class="hidden">Compared</span></th>\
      <th scope="col">Critical path, or error</th></tr></thead>
      <tbody>
      \(lines)</tbody></table></div>
      \(Document.scrollNote)
      """
  }
}
