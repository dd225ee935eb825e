public import Passes
public import WebStatus

/// The page `/`: the start, live.
///
/// The page is complete without JavaScript. `page.js` then applies events to the parts they are about, and requests the page again when
/// something else has changed.
public struct StartPage: Sendable {
  /// The state.
  public var document: StatusDocument
  /// Why the app isn't ready; nil if that isn't known, or there is nothing to explain.
  public var why: Explained?
  /// Why there is no explanation although it isn't ready.
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
    document: StatusDocument, why: Explained? = nil, problem: String? = nil, passes: [EndedPass] = [],
    position: String, now: Double
  ) {
    self.document = document
    self.why = why
    self.problem = problem
    self.passes = passes
    self.position = position
    self.now = now
  }

  /// The page.
  public var html: String {
    let summary = document.summary
    let main: HTML = """
      \(Self.state(summary))
      \(reasons)\(phase(.launch, "Launch", summary.launch))\(phase(.active, "Active", summary.active))\(processes)\(graph)\
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

  /// Returns the sentence for the state as a whole.
  static func message(_ summary: StatusDocument.Summary) -> String {
    summary.ready ? "Everything is complete, and the app is active." : summary.message
  }

  private static func state(_ summary: StatusDocument.Summary) -> HTML {
    let word = word(summary)
    let kind =
      switch word {
      case "Ready": "complete"
      case "Failed", "No answer": "failed"
      case "Inactive": "idle"
      default: "running"
      }
    return """
      <div class="state" id="state" data-kind="\(kind)"><h1 id="state-word">\(word)</h1>\
      <p id="state-message" role="status">\(message(summary))</p></div>
      """
  }

  // MARK: Reasons

  private var reasons: HTML {
    let content: HTML
    if let problem {
      content = """
        <p class="note">No explanation: \(problem). Load the page again, or use <code>initctl why</code>.</p>

        """
    } else if let why, !why.because.isEmpty {
      content = Self.tree(why.because)
    } else {
      return ""
    }
    return """
      <section aria-labelledby="why"><h2 id="why">What it waits for</h2>
      \(content)</section>

      """
  }

  private static func tree(_ nodes: [Explained]) -> HTML {
    let items = nodes.map { node -> HTML in
      let message: HTML = node.message.isEmpty ? "" : " <span class=\"note\">\(node.message)</span>"
      let usual: HTML = node.usual.map { " <span class=\"note\">usually \($0.words)</span>" } ?? ""
      let output: HTML =
        node.output.map { lines in
          lines.isEmpty
            ? ""
            : "<pre tabindex=\"0\" aria-label=\"Last output of \(node.name)\">\(lines.joined(separator: "\n"))</pre>"
        } ?? ""
      let children: HTML = node.because.isEmpty ? "" : tree(node.because)
      return "<li>\(badge(node.status)) <b>\(node.name)</b>\(message)\(usual)\(output)\(children)</li>\n"
    }
    return "<ul class=\"tree\">\n\(items)</ul>\n"
  }

  static func badge(_ status: String) -> HTML {
    "<span class=\"badge\" data-kind=\"\(status)\">\(words[status] ?? status)</span>"
  }

  /// Words for people, if they differ from the protocol's.
  private static let words = ["notRun": "not run", "notRunning": "not running"]

  // MARK: Initializers

  private func phase(_ phase: Phase, _ title: String, _ state: StatusDocument.State?) -> HTML {
    let all = document.initializers.filter { $0.phase == phase }
    guard !all.isEmpty else { return "" }
    let rows = InitializerRows(all)
    let done = all.count { $0.status == "complete" || $0.status == "skipped" }
    let error: HTML = state?.error.map { "<p class=\"error\">\($0)</p>\n" } ?? ""
    return """
      <section aria-labelledby="\(phase.rawValue)" class="phase" data-opened="\(rows.opened?.attribute ?? "")" \
      data-phase="\(phase.rawValue)">
      <h2 id="\(phase.rawValue)">\(title) <span class="note count">\(done) of \(all.count) complete</span></h2>
      \(error)<ol class="rows">
      \(rows.html(now: now))</ol></section>

      """
  }

  private var processes: HTML {
    guard !document.processes.isEmpty else { return "" }
    let rows = document.processes.map { each -> HTML in
      let status = each.givenUp ? "given up" : each.running ? "running" : "not running"
      let kind = each.running ? "complete" : each.givenUp ? "failed" : "waiting"
      let restarts =
        each.restarts == 0 ? "" : each.restarts == 1 ? "restarted once" : "restarted \(each.restarts) times"
      return """
        <li><b>\(each.name)</b> <span class="badge" data-kind="\(kind)">\(status)</span> <span class="note">\(restarts)</span></li>

        """
    }
    return """
      <section aria-labelledby="processes"><h2 id="processes">Kept processes</h2>
      <ul class="plain">
      \(rows)</ul></section>

      """
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
      <span class="note">\(pass.openDuration.words)</span></h2>
      \(PassPage.path(pass))</section>

      """
  }

  private var history: HTML {
    guard !passes.isEmpty else { return "" }
    return """
      <section aria-labelledby="passes"><h2 id="passes">Last passes</h2>
      \(HistoryPage.table(passes.prefix(Self.passLimit).map(HistoryPage.Row.init)))</section>

      """
  }
}
