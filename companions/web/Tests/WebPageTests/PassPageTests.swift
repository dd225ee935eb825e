import Passes
import Testing
import WebStatus

@testable import WebPage

@Suite("The page of a pass")
struct PassPageTests {
  private static let pass = EndedPass(
    instance: "a b", number: 7, phase: .launch, started: 99, opened: 100, duration: 5, outcome: .failed,
    failure: .init(initializer: "serve", message: "serve failed: <b>"),
    runs: [
      EndedRun(
        number: 1, initializer: "migrate", ready: 100, started: 100, duration: 1, outcome: .failed, error: "exit 3"),
      EndedRun(
        number: 2, initializer: "migrate", attempt: 2, ready: 100, started: 102, duration: 1, outcome: .complete),
      EndedRun(
        number: 3, initializer: "serve", ready: 103, started: 103, duration: 1, outcome: .failed, error: "exit 4",
        waitedFor: ["migrate"], output: ["no such", "<table>"]),
    ],
    initializers: [
      PassedInitializer(name: "migrate", outcome: "complete", attempts: 2),
      PassedInitializer(name: "serve", outcome: "failed"),
      PassedInitializer(name: "later", outcome: "notRun", attempts: 0),
    ], criticalPath: [PathStep(name: "migrate", link: "opening", running: 2)])

  @Test(
    "An initializer has a bar for each attempt, and the time from the first one to the end of the last; what didn't run has none"
  )
  func items() {
    let items = PassPage(pass: Self.pass, now: 200).items
    #expect(items.map(\.name) == ["migrate", "serve"])
    #expect(items.map(\.status) == ["complete", "failed"])
    #expect(items.map(\.started) == [102, 103])
    #expect(items.map(\.duration) == [1, 1])
    let html = PassPage(pass: Self.pass, now: 200).html
    #expect(
      html.contains(
        #"<rect class="attempt" x="0" width="1" height="10"/><rect class="run" x="2" width="1" height="10"/>"#))
    #expect(html.contains(#"data-kind="complete">complete</span><span class="time">3.00 s</span>"#))
    #expect(items.map(\.attempt) == [2, 1])
    #expect(items.map(\.dependencies) == [[], ["migrate"]])
  }

  @Test("The page has the error, the bars, the graph, the critical path, and every failed attempt")
  func page() {
    let html = PassPage(pass: Self.pass, now: 200).html
    for part in [
      "Launch pass 7", "serve failed: &lt;b&gt;", "i-migrate", "g-serve", "50 %, at the opening", "exit 3",
      "attempt 1, after 1.00 s", "exit 4", "no such\n&lt;table&gt;</pre>", "ago",
    ] { #expect(html.contains(part), "\(part)") }
    #expect(!html.contains("data-position"))
    #expect(PassPage.address(instance: "a b", number: 7) == "/pass?supervisor=a%20b&number=7")
  }
}
