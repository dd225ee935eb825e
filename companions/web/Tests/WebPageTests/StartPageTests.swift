import Passes
import Testing

@testable import WebPage
@testable import WebStatus

@Suite("The page of the start")
struct StartPageTests {
  private func item(
    _ name: String, _ status: String, after dependencies: [String] = [], started: Double? = nil,
    duration: Double? = nil,
    pass: Int = 1
  ) -> StatusDocument.Item {
    StatusDocument.Item(
      Initializer(
        name: name, dependencies: dependencies, status: status,
        run: started.map { .init(number: 1, attempt: 1, pass: pass, started: $0, duration: duration) }))
  }

  @Test("Bars begin where runs began, in the order of their starts; what hasn't started has none")
  func bars() {
    let rows = InitializerRows([
      item("late", "waiting", after: ["b"]), item("b", "running", started: 102),
      item("a", "complete", started: 100, duration: 2), item("old", "complete", started: 50, duration: 1, pass: 0),
    ])
    #expect(rows.opened == 100)
    let html = rows.html(now: 104).map(\.text)
    #expect(html.map { $0.split(separator: "\"")[1] } == ["i-a", "i-b", "i-late", "i-old"])
    #expect(
      html[0].contains(#"viewBox="0 0 4 10""#) && html[0].contains(#"<rect class="run" x="0" width="2" height="10"/>"#))
    #expect(
      html[1].contains(#"<rect class="run" x="2" width="2" height="10" data-started="102""#)
        && html[1].contains("2.00 s"))
    #expect(!html[2].contains("<rect") && !html[3].contains("<rect"))
    // What ran in an earlier pass, which was resumed, has a time, but no bar.
    #expect(html[3].contains(#"<span class="time">1.00 s</span>"#))
  }

  @Test("A bar has the earlier attempts, and the share of the work that is done")
  func attempts() {
    var running = item("a", "running", started: 104)
    running.attempt = 2
    running.fraction = 0.5
    running.message = "half of it"
    var pausing = item("b", "waiting", started: 102, duration: 1)
    pausing.error = "exit 3"
    let rows = InitializerRows(
      [running, pausing], attempts: ["a": [.init(run: 1, started: 100, duration: 3)]], output: ["b": ["no <table>"]])
    #expect(rows.opened == 100)
    let html = rows.html(now: 108).map(\.text)
    #expect(html[0].contains(#"<rect class="attempt" x="0" width="3" height="10"/>"#))
    #expect(
      html[0].contains(#"<rect class="run rest" x="4" width="4" height="10" data-started="104" data-share="1"/>"#))
    #expect(html[0].contains(#"<rect class="run" x="4" width="2" height="10" data-started="104" data-share="0.500"/>"#))
    #expect(html[0].contains("8.00 s") && html[0].contains("attempt 2, 50%, half of it"))
    #expect(html[1].contains(#"<rect class="attempt" x="2" width="1" height="10"/>"#))
    #expect(html[1].contains("exit 3") && html[1].contains("no &lt;table&gt;</pre>"))
  }

  @Test("What an initializer reported while it ran isn't shown after its end; why it didn't run is")
  func details() {
    var done = item("a", "complete", started: 100, duration: 1)
    done.message = "connection refused"
    var stopped = item("b", "cancelled", started: 100, duration: 1)
    stopped.blockedBy = "c"
    let html = InitializerRows([done, stopped]).html(now: 105).map(\.text).joined()
    #expect(!html.contains("connection refused") && html.contains("stopped because c failed first"))
    let told = InitializerRows([done, stopped], details: ["a": "", "b": "stopped: <why>"]).html(now: 105).map(\.text)
    #expect(told.joined().contains("stopped: &lt;why&gt;"))
  }

  @Test("A process has its pid, its time, its restarts and its last exit")
  func processes() {
    let document = StatusDocument(
      Picture(
        instance: "a", pid: 1,
        states: States(launch: .complete, active: .complete, composite: .complete, isActive: true),
        processes: [
          KeptProcess(name: "web", pid: 7, started: 90, restarts: 2, lastExit: "exit <3>"),
          KeptProcess(name: "mail", restarts: 1, lastExit: "exit status 1", nextStart: 107.5),
          KeptProcess(name: "off", restarts: 9, isGivenUp: true), KeptProcess(name: "later", skipped: "not on Sundays"),
        ]))
    let why = Explained(
      name: "ready", status: "complete",
      because: [
        Explained(name: "web", status: "restarted"), Explained(name: "mail", status: "notRunning"),
      ])
    let overview = Overview(document: document, why: why, failedOutput: ["mail": ["no <spool>"]])
    let html = StartPage(overview: overview, position: "x.1", now: 105).html
    for part in [
      #"pid 7, up <span data-age="90">15 s</span>, 2 restarts, last: exit &lt;3&gt;"#, ">restarted</span>",
      "starts again in 2.50 s, 1 restart, last: exit status 1", ">given up</span>", "not started: not on Sundays",
      "no &lt;spool&gt;</pre>", "What needs attention",
      "Everything is complete, and the app is active, but 2 processes don&#39;t run, or were restarted a moment ago.",
    ] { #expect(html.contains(part), "\(part)") }
  }

  @Test("The rows of a supervisor that doesn't answer are marked, with the time of its last answer")
  func stale() {
    var document = StatusDocument(
      Picture(
        instance: "a", pid: 1,
        states: States(launch: .complete, active: .complete, composite: .complete, isActive: true),
        initializers: [Initializer(name: "x", status: "complete")]))
    let fresh = StartPage(document: document, position: "x.1", now: 110).html
    #expect(fresh.contains(#"<div class="known">"#))
    document.summary.answering = false
    document.summary.ready = false
    document.summary.message = "no answer"
    document.summary.silentSince = 100
    let html = StartPage(document: document, position: "x.1", now: 110).html
    #expect(html.contains(#"<div class="known" data-stale>"#))
    #expect(html.contains(#"no answer. The rows show its state of <span data-age="100">10 s</span> ago."#))
  }

  @Test("In the graph, each node is to the right of what it needs, also with a cycle")
  func graph() {
    let picture = GraphPicture([
      item("d", "waiting", after: ["b", "c"]), item("a", "complete"), item("b", "running", after: ["a"]),
      item("c", "waiting", after: ["b", "undeclared"]),
    ])
    #expect(picture.columns == [3, 0, 1, 2])
    #expect(picture.html.text.components(of: "<path").count == 5)
    let cycle = GraphPicture([item("a", "waiting", after: ["b"]), item("b", "waiting", after: ["a"])])
    #expect(cycle.columns.allSatisfy { $0 < 2 })
  }

  @Test("The page names the state, why it isn't ready, and the critical path, and escapes everything")
  func page() {
    let summary = StatusDocument.Summary(
      answering: true, ready: false, reason: .launchFailed, message: "launch failed: <b>", instance: "a")
    let document = StatusDocument(
      summary: summary, initializers: [item("migrate", "failed", started: 100, duration: 1)], processes: [], workers: []
    )
    let why = Explained(
      name: "ready", status: "failed",
      because: [Explained(name: "migrate", status: "failed", message: "exit status 3", output: ["</pre><script>"])])
    let pass = EndedPass(
      instance: "a", number: 1, phase: .launch, started: 100, opened: 100, duration: 4, outcome: .failed,
      criticalPath: [PathStep(name: "migrate", link: "opening", running: 1)])
    let html = StartPage(
      overview: Overview(document: document, why: why), passes: [pass], position: "x.1", now: 105
    ).html
    #expect(html.contains("Why it failed") && !html.contains("What it waits for"))
    #expect(html.contains("<h1 id=\"state-word\">Failed</h1>") && html.contains("<title>Failed –"))
    #expect(html.contains("launch failed: &lt;b&gt;") && html.contains("&lt;/pre&gt;&lt;script&gt;"))
    #expect(
      html.contains(
        "<b>migrate</b> <span class=\"time\">1.00 s</span> <span class=\"note\">25 %, at the opening</span>"))
    #expect(html.contains("data-position=\"x.1\"") && html.contains("0 of 1 complete"))
    let silent = StartPage(document: document, problem: "no <answer>", position: "x.1", now: 105).html
    #expect(silent.contains("No explanation: no &lt;answer&gt;."))
    // A strict policy allows neither styles nor scripts in the page.
    #expect(!html.contains("style=") && !html.contains("<style") && !html.contains("onclick"))
  }
}

extension String {
  fileprivate func components(of part: String) -> [Substring] {
    split(separator: part, omittingEmptySubsequences: false)
  }
}
