public import Passes
public import WebStatus

/// The page `/`: the start, live.
///
/// The page is complete without JavaScript. `page.js` then applies events to the parts they are about, and requests the page again when
/// something else has changed.
public struct StartPage: Sendable {
  /// The state.
  public var document: StatusDocument
  /// Everything that explains this state; nil if it isn't known.
  public var overview: Overview?
  /// Why it isn't known.
  public var problem: String?
  /// The last passes, the newest first.
  public var passes: [EndedPass]
  /// The position in the stream of events.
  public var position: String
  /// The time, in seconds since the Unix epoch.
  public var now: Double

  /// The maximum number of initializers for which the graph is drawn.
  static let graphLimit = 150
  /// How many passes are listed.
  static let passLimit = 10

  /// Describes the page.
  public init(
    document: StatusDocument, problem: String? = nil, passes: [EndedPass] = [], position: String, now: Double
  ) {
    self.document = document
    self.problem = problem
    self.passes = passes
    self.position = position
    self.now = now
  }

  /// Describes the page of an overview.
  public init(overview: Overview, passes: [EndedPass] = [], position: String, now: Double) {
    self.init(document: overview.document, passes: passes, position: position, now: now)
    self.overview = overview
  }

  /// The page.
  public var html: String {
    let summary = document.summary
    let main: HTML = """
      \(state)
      \(reasons)<div class="known"\(summary.answering ? "" : " data-stale")>
      \(phase(.launch, "Launch", summary.launch))\(phase(.active, "Active", summary.active))\(processes)\(graph)</div>
      \(critical)\(history)
      """
    return Document(
      title: "\(Self.word(summary)) – start of the app", path: "/", position: position, now: now, main: main
    ).html.text
  }

  /// Returns the word for the state as a whole.
  static func word(_ summary: StatusDocument.Summary) -> String {
    if !summary.answering { return "No answer" }
    if summary.ready { return "Ready" }
    switch summary.reason {
    case .launchFailed, .activeFailed: return "Failed"
    case .inactive: return "Inactive"
    default: return "Starting"
    }
  }

  /// The sentence for the state as a whole.
  private var message: HTML {
    let summary = document.summary
    if let since = summary.silentSince {
      return "\(summary.message). The rows show its state of \(Moment(seconds: since, now: now).ago)."
    }
    guard summary.ready else { return "\(summary.message)" }
    let processes = overview?.why.because ?? []
    guard let first = processes.first else { return "\(complete)." }
    let trouble =
      processes.count > 1
      ? "\(processes.count) processes don't run, or were restarted a moment ago"
      : first.status == "restarted"
        ? "the process \(first.name) was restarted a moment ago" : "the process \(first.name) doesn't run"
    return "\(complete), but \(trouble)."
  }

  /// Without an active phase, launch makes an inactive app ready (S1).
  private var complete: String {
    document.summary.lifecycle == "active" ? "Everything is complete, and the app is active" : "Launch is complete"
  }

  private var state: HTML {
    let word = Self.word(document.summary)
    let kind =
      switch word {
      case "Ready": "complete"
      case "Failed", "No answer": "failed"
      case "Inactive": "idle"
      default: "running"
      }
    return """
      <div class="state" id="state" data-kind="\(kind)"><h1 id="state-word">\(word)</h1>\
      <p id="state-message" role="status">\(message)</p></div>
      """
  }

  // MARK: Reasons

  private var reasons: HTML {
    let content: HTML
    let title =
      switch Self.word(document.summary) {
      case "Failed": "Why it failed"
      case "Ready": "What needs attention"
      case "Inactive": "Why it is inactive"
      default: "What it waits for"
      }
    if let problem {
      content = """
        <p class="note">No explanation: \(problem). Load the page again, or use <code>initctl why</code>.</p>

        """
    } else if let why = overview?.why, !why.because.isEmpty {
      content = tree(why.because)
    } else {
      return ""
    }
    return """
      <section aria-labelledby="why"><h2 id="why">\(title)</h2>
      \(content)</section>

      """
  }

  private func tree(_ nodes: [Explained]) -> HTML {
    let items = nodes.map { node -> HTML in
      let message: HTML = node.message.isEmpty ? "" : " <span class=\"note\">\(node.message)</span>"
      let usual: HTML = node.usual.map { " <span class=\"note\">usually \($0.words)</span>" } ?? ""
      let since: HTML = node.since.map { " <span class=\"note\">\(time(node.status, $0))</span>" } ?? ""
      let output = Self.output(node.output ?? [], of: node.name)
      let children: HTML = node.because.isEmpty ? "" : tree(node.because)
      return "<li>\(Self.badge(node.status)) <b>\(node.name)</b>\(message)\(since)\(usual)\(output)\(children)</li>\n"
    }
    return "<ul class=\"tree\">\n\(items)</ul>\n"
  }

  /// Returns how long a status has lasted, or how long ago it came.
  private func time(_ status: String, _ since: Double) -> HTML {
    let moment = Moment(seconds: since, now: now)
    return ["running", "stopping", "waiting", "pending"].contains(status) ? "for \(moment.age)" : moment.ago
  }

  /// Returns the last lines that something wrote.
  static func output(_ lines: [String], of name: String) -> HTML {
    guard !lines.isEmpty else { return "" }
    return "<pre tabindex=\"0\" aria-label=\"Last output of \(name)\">\(lines.joined(separator: "\n"))</pre>"
  }

  /// The last lines of what failed, except for those that the explanation shows.
  private var output: [String: [String]] {
    guard let overview else { return [:] }
    var shown: Set<String> = []
    var open = [overview.why]
    while let node = open.popLast() {
      if node.output?.isEmpty == false { shown.insert(node.name) }
      open += node.because
    }
    return overview.failedOutput.filter { !shown.contains($0.key) }
  }

  /// The attempts before the last one of each initializer in its newest pass.
  private var attempts: [String: [Overview.Attempt]] {
    var attempts = overview?.attempts ?? [:]
    for each in document.initializers where each.attempt ?? 1 > 1 && attempts[each.name] == nil {
      let pass = passes.first { $0.number == each.pass && $0.instance == document.summary.instance }
      attempts[each.name] = pass?.attempts[each.name]
    }
    return attempts
  }

  static func badge(_ status: String) -> HTML {
    "<span class=\"badge\" data-kind=\"\(status)\">\(words[status] ?? status)</span>"
  }

  /// Words for people, if they differ from the protocol's.
  private static let words = ["notRun": "not run", "notRunning": "not running", "unregistered": "not registered"]

  // MARK: Initializers

  private func phase(_ phase: Phase, _ title: String, _ state: StatusDocument.State?) -> HTML {
    let all = document.initializers.filter { $0.phase == phase }
    guard !all.isEmpty else { return "" }
    let rows = InitializerRows(all, attempts: attempts, details: overview?.details, output: output)
    let done = all.count { $0.status == "complete" || $0.status == "skipped" }
    let error: HTML = state?.error.map { "<p class=\"error\">\($0)</p>\n" } ?? ""
    return """
      <section aria-labelledby="\(phase.rawValue)" class="phase">
      <h2 id="\(phase.rawValue)">\(title) <span class="note count">\(done) of \(all.count) complete</span></h2>
      \(error)<ol class="rows">
      \(rows.html(now: now))</ol></section>

      """
  }

  private var processes: HTML {
    guard !document.processes.isEmpty else { return "" }
    let output = output
    let rows = document.processes.map { each -> HTML in
      let isLooping = overview?.why.because.contains { $0.name == each.name && $0.status == "restarted" } == true
      let (status, kind) =
        if each.unhealthy == true {
          ("unhealthy", "failed")
        } else if each.givenUp {
          ("given up", "failed")
        } else if isLooping {
          ("restarted", "waiting")
        } else if each.running {
          ("running", "complete")
        } else if each.skipped != nil {
          ("skipped", "idle")
        } else {
          ("not running", each.nextStart == nil ? "idle" : "failed")
        }
      return """
        <li id="p-\(each.name)"><b>\(each.name)</b> <span class="badge" data-kind="\(kind)">\(status)</span> \
        <span class="note">\(condition(each))</span>\(Self.output(output[each.name] ?? [], of: each.name))</li>

        """
    }
    return """
      <section aria-labelledby="processes"><h2 id="processes">Kept processes</h2>
      <ul class="plain">
      \(rows)</ul></section>

      """
  }

  /// Describes a process, as `initctl status` does.
  private func condition(_ process: StatusDocument.Process) -> HTML {
    var parts: [HTML] = []
    if let pid = process.pid { parts.append("pid \(pid)") }
    if let started = process.started { parts.append("up \(Moment(seconds: started, now: now).age)") }
    if let next = process.nextStart { parts.append("starts again in \(max(0, next - now).words)") }
    if let note = process.note { parts.append("\(note)") }
    if process.givenUp { parts.append("exited too often; fix it, and start it with initctl launch or activate") }
    if let skipped = process.skipped { parts.append("not started: \(skipped)") }
    if process.restarts > 0 { parts.append("\(process.restarts) restart\(process.restarts == 1 ? "" : "s")") }
    if let exit = process.lastExit { parts.append("last: \(exit)") }
    return HTML(parts, separator: ", ")
  }

  // MARK: Graph, critical path, history

  private var graph: HTML {
    guard document.initializers.contains(where: { !$0.dependencies.isEmpty }) else { return "" }
    let content: HTML =
      document.initializers.count > Self.graphLimit
      ? """
      <p class="note">The graph of \(document.initializers.count) initializers is too large for a page; \
      use <code>initctl graph NAME</code>.</p>
      """
      : GraphPicture(document.initializers).html
    return """
      <section aria-labelledby="graph"><h2 id="graph">Dependencies</h2>
      \(content)</section>

      """
  }

  private var critical: HTML {
    guard let pass = passes.first(where: { !$0.criticalPath.isEmpty }) else { return "" }
    return """
      <section aria-labelledby="critical"><h2 id="critical">Critical path of the last \(pass.phase.rawValue) pass \
      <span class="note">\(pass.openDuration.words), \(Moment(seconds: pass.ended, now: now).ago)</span></h2>
      \(PassPage.path(pass))</section>

      """
  }

  private var history: HTML {
    guard !passes.isEmpty else { return "" }
    return """
      <section aria-labelledby="passes"><h2 id="passes">Last passes</h2>
      \(HistoryPage.table(passes.prefix(Self.passLimit).map(HistoryPage.Row.init), now: now))</section>

      """
  }
}
