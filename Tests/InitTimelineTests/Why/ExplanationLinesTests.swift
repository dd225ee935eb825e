import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

struct ExplanationLinesTests {
  @Test("The tree has a line for each thing, and the output of what failed below it")
  func tree() throws {
    let retried = Initializer.fake("flags", .waiting) {
      $0.attempts = 4
      $0.nextAttempt = 1002
    }.ran(for: 1)
    let status = Status.fake(
      [
        .fake("a", .running).ran(), retried.failing(), .fake("b", .waiting, after: "a"),
        .fake("z", .idle, priority: .appActive),
      ], lifecycle: .inactive,
      concurrency: 2)
    let why = try #require(Explanation.readiness(status)).showing(["no\u{1B} host"], of: "flags", run: 7)
    #expect(
      why.lines(now: 1000) == [
        "ready has been pending for 10 s",
        "├─ launch has been pending for 10 s: 0 of 3 complete",
        "│  ├─ a has been running for 10 s",
        "│  └─ flags has been waiting for 9 s: attempt 1 of 4, next in 2 s, exit status 3",
        "│        flags | no\\u{1B} host",
        "└─ the app is inactive; make it active with initctl activate",
      ])
  }

  @Test("Later lines of a broken line keep the tree's margin; a narrow tree is indented by one column a level")
  func margins() {
    var why = Explanation("a", "waiting", "waits for b and d")
    why.because = [Explanation("b", "waiting", "waits for c"), Explanation("d", "running")]
    why.because[0].because = [Explanation("c", "failed")]
    why.because[0].because[0].output = ["x"]
    let tree = why.tree(now: 0)
    #expect(tree.map(\.head) == ["", "├─ ", "│  └─ ", "│        ", "└─ "])
    #expect(tree.map(\.margin) == ["│  ", "│  │  ", "│        ", "│          ", "      "])
    let narrow = why.tree(now: 0, isNarrow: true)
    #expect(narrow.map(\.head) == ["", "├", "│└", "│   ", "└"])
    #expect(narrow.map(\.margin) == ["│ ", "││ ", "│   ", "│     ", "   "])
    #expect(narrow.map(\.text) == tree.map(\.text))
  }

  @Test(
    "Each status has its sentence",
    arguments: [
      (Explanation("a", "complete"), "a is complete"),
      (Explanation("a", "idle", "the app is inactive"), "a is idle: the app is inactive"),
      (Explanation("a", "waiting", "waits for b"), "a waits for b"), (Explanation("a", "waiting"), "a is waiting"),
      (Explanation("a", "cancelled"), "a was cancelled"), (Explanation("a", "undeclared"), "a is not declared"),
      (Explanation("a", "cancelled", "stopped because b failed first"), "a was stopped because b failed first"),
      (Explanation("a", "notRun", "not run because b failed first"), "a was not run because b failed first"),
      (Explanation("a", "skipped\r", "x\u{1B}"), "a is skipped\\r: x\\u{1B}"),
      (Explanation("app", "inactive"), "the app is inactive"),
    ])
  func sentences(why: Explanation, sentence: String) {
    #expect(why.sentence(now: 1000) == sentence)
  }

  @Test("The start and the usual duration are shown if they help")
  func times() {
    var why = Explanation("a", "running", "50%")
    why.since = 998.8
    why.usual = 0.3
    #expect(why.sentence(now: 1000) == "a has been running for 1.2 s, usually 300 ms: 50%")
    why.status = "failed"
    #expect(why.sentence(now: 1000) == "a failed 1.2 s ago: 50%")
  }

  @Test("Many causes are listed in part, and a tree has a bounded number of lines")
  func many() throws {
    var why = Explanation("a", "waiting", "waits for many")
    why.because = (1...25).map { Explanation("\($0)", "running") }
    let lines = why.lines(now: 0)
    #expect(lines.count == 12 && lines.last == "└─ … and 15 others")
    #expect(lines[10] == "├─ 10 is running")
    var wide = why
    wide.because = (1...10).map { _ in why }
    #expect(wide.lines(now: 0).count == Explanation.mostLines + 1)
  }

  @Test("A list or a tree of exactly the maximum size is shown whole")
  func asManyAsFit() {
    var why = Explanation("a", "waiting", "waits for many")
    why.because = (1...Explanation.listed).map { Explanation("\($0)", "running") }
    let lines = why.lines(now: 0)
    #expect(lines.count == 1 + Explanation.listed && lines.last == "└─ 10 is running")
    why.because[0].output = (lines.count..<Explanation.mostLines).map { "line \($0)" }
    let most = why.lines(now: 0)
    #expect(most.count == Explanation.mostLines && most.last == "└─ 10 is running")
  }

  @Test(
    "Lists of names are short",
    arguments: [
      (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c"),
      (["a", "b", "c", "d"], "a, b and 2 others"),
    ])
  func lists(names: [String], phrase: String) {
    #expect(Phrases.list(names) == phrase)
  }
}
