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
    #expect(html[0].contains(#"viewBox="0 0 4 10""#) && html[0].contains(#"<rect x="0" width="2" height="10"/>"#))
    #expect(html[1].contains(#"<rect x="2" width="2" height="10"/>"#) && html[1].contains("2.00 s"))
    #expect(!html[2].contains("<rect") && !html[3].contains("<rect"))
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
    let html = StartPage(document: document, why: why, passes: [pass], position: "x.1", now: 105).html
    #expect(html.contains("<h1 id=\"state-word\">Failed</h1>") && html.contains("<title>Failed –"))
    #expect(html.contains("launch failed: &lt;b&gt;") && html.contains("&lt;/pre&gt;&lt;script&gt;"))
    #expect(
      html.contains(
        "<b>migrate</b> <span class=\"time\">1.00 s</span> <span class=\"note\">25 %, at the opening</span>"))
    #expect(html.contains("data-position=\"x.1\"") && html.contains("0 of 1 complete"))
    let silent = StartPage(document: document, problem: "no <answer>", position: "x.1", now: 105).html
    #expect(silent.contains("What it waits for") && silent.contains("No explanation: no &lt;answer&gt;."))
    // A strict policy allows neither styles nor scripts in the page.
    #expect(!html.contains("style=") && !html.contains("<style") && !html.contains("onclick"))
  }
}

extension String {
  fileprivate func components(of part: String) -> [Substring] {
    split(separator: part, omittingEmptySubsequences: false)
  }
}
