public import Passes
import WebStatus

/// The page `/pass`: one pass that has ended.
public struct PassPage: Sendable {
  /// The pass.
  public var pass: EndedPass
  /// The time, in seconds since the Unix epoch.
  public var now: Double

  /// Describes the page.
  public init(pass: EndedPass, now: Double) {
    self.pass = pass
    self.now = now
  }

  /// Returns the address of the page of a pass.
  public static func address(instance: String, number: Int) -> String {
    "/pass?supervisor=\(Query.encode(instance))&number=\(number)"
  }

  /// The page.
  public var html: String {
    let title = "\(pass.phase == .launch ? "Launch" : "Active") pass \(pass.number)"
    let failure: HTML = pass.failure.map { "<p class=\"error\">\($0.message)</p>\n" } ?? ""
    return Document(
      title: "\(title) – start of the app", path: "", now: now,
      main: """
        <h1>\(title) \(StartPage.badge(pass.outcome.rawValue))</h1>
        <p>Started at \(Moment(seconds: pass.started, now: now).date) UTC \
        (\(Moment(seconds: pass.started, now: now).ago)), took <b>\(pass.openDuration.words)</b>.</p>
        \(failure)\(bars)\(graph)\(critical)\(failures)
        """
    ).html.text
  }

  /// The initializers that ran, as they were at the end.
  var items: [StatusDocument.Item] {
    let runs = Dictionary(grouping: pass.runs, by: \.initializer)
    return pass.initializers.compactMap { each in
      let runs = (runs[each.name] ?? []).sorted { $0.started < $1.started }
      guard let last = runs.last else { return nil }
      return StatusDocument.Item(
        Initializer(
          name: each.name, dependencies: last.waitedFor, status: each.outcome,
          run: .init(
            number: last.number, attempt: last.attempt, pass: pass.number, started: last.started,
            duration: last.duration), error: last.error))
    }
  }

  private var bars: HTML {
    let items = items
    guard !items.isEmpty else { return "<p>No initializer ran.</p>\n" }
    return """
      <section aria-labelledby="bars"><h2 id="bars">Initializers</h2>
      <ol class="rows">
      \(InitializerRows(items, attempts: pass.attempts).html(now: pass.ended))</ol></section>

      """
  }

  private var graph: HTML {
    let items = items
    guard items.count <= StartPage.graphLimit, items.contains(where: { !$0.dependencies.isEmpty }) else { return "" }
    return """
      <section aria-labelledby="graph"><h2 id="graph">Dependencies</h2>
      \(GraphPicture(items).html)</section>

      """
  }

  private var critical: HTML {
    guard !pass.criticalPath.isEmpty else { return "" }
    return """
      <section aria-labelledby="critical"><h2 id="critical">Critical path</h2>
      \(Self.path(pass))</section>

      """
  }

  private var failures: HTML {
    let failed = pass.runs.filter { $0.outcome == .failed }
    guard !failed.isEmpty else { return "" }
    let rows = failed.map { run -> HTML in
      """
      <li><b>\(run.initializer)</b> \(run.error ?? "") \
      <span class="note">attempt \(run.attempt), after \(run.duration.words), \(Moment(seconds: run.ended, now: now).ago)</span>\
      \(StartPage.output(run.output, of: run.initializer))</li>

      """
    }
    return """
      <section aria-labelledby="failures"><h2 id="failures">Failed attempts</h2>
      <ul class="plain">
      \(rows)</ul></section>

      """
  }

  static func path(_ pass: EndedPass) -> HTML {
    let total = max(0.001, pass.openDuration)
    let steps = pass.criticalPath.map { step -> HTML in
      let share = step.queued + step.running + step.backoff
      let reason =
        switch (step.link, step.from) {
        case ("dependency", let from?): "after \(from)"
        case ("place", let from?): "in the place of \(from)"
        case ("worker", _): "once its worker registered it"
        default: "at the opening"
        }
      let percent = Int((100 * share / total).rounded())
      return """
        <li><b>\(step.name)</b> <span class="time">\(share.words)</span> <span class="note">\(percent) %, \(reason)</span></li>

        """
    }
    return "<ol class=\"plain\">\n\(steps)</ol>\n"
  }
}

extension EndedPass {
  /// The attempts before the last one, by the initializer's name.
  var attempts: [String: [Overview.Attempt]] {
    Dictionary(grouping: runs, by: \.initializer).mapValues { runs in
      runs.sorted { $0.started < $1.started }.dropLast().map {
        Overview.Attempt(run: $0.number, started: $0.started, duration: $0.duration)
      }
    }
  }
}
