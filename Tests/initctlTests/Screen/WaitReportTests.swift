import InitModel
import InitTimeline
import InitWire
import InitWords
import Testing

@testable import initctl

struct WaitReportTests {
  @Test("It reports how the target of the wait ended, and why")
  func sentences() {
    #expect(
      WaitReport.sentence(.ready, Status.State(.failed, error: .exit3))
        == "ready failed: cannot initialize prices: exit status 3")
    #expect(WaitReport.sentence(.pass(3), Status.State(.cancelled)) == "pass 3 was cancelled")
    #expect(WaitReport.sentence(.launch, Status.State(.failed)) == "launch is failed")
    #expect(
      WaitReport.sentence(.initializer("other"), Status.State(.failed, error: .exit3)).hasPrefix("other can't run: "))
    #expect(
      WaitReport.sentence(.initializer(InitializationError.exit3.initializer), Status.State(.failed, error: .exit3))
        == InitializationError.exit3.message)
  }

  @Test("The last output lines of that run are shown, and no other run's")
  func output() {
    func line(_ run: Int, _ number: Int) -> LogLine {
      LogLine(time: 1, initializer: "a", run: run, stream: .stderr, line: "\(run).\(number)")
    }
    let lines = (1...20).map { line(1, $0) } + (1...12).map { line(2, $0) }
    #expect(RunOutput.lines(of: 2, in: lines) == (3...12).map { "2.\($0)" })
    #expect(RunOutput.lines(of: 1, in: Array(lines.prefix(2))) == ["1.1", "1.2"])
    #expect(RunOutput.lines(of: 3, in: lines) == [])
  }

  @Test("After a timeout, the sentence names the targets and the first thing to look at")
  func lateness() {
    let timeout = Duration.seconds(30)
    let why = WhyTree.why(.launch, in: Situation(.fakePending))
    #expect(
      WaitReport.lateness([.ready, .initializer("a")], after: timeout, why, now: 1000)
        == "timed out after 30 s waiting for ready, a: feature-toggles has been running for 1.2 s: attempt 2, 50% half\\u{1B}[2J"
    )
    #expect(WaitReport.lateness([.launch], after: nil, nil, now: 1000) == "timed out waiting for launch")
  }

  @Test("The tree is indented; it is left out if it has nothing to add to the sentence")
  func lines() throws {
    let why = try #require(WhyTree.why(.ready, in: Situation(.fakePending)))
    let pipe = OutputTerminal(size: nil, hasColor: false)
    let lines = WaitReport.lines(why, pipe, now: 1000)
    #expect(lines.first == "  ready has been pending for 1.2 s")
    #expect(lines.last?.contains("feature-toggles has been running") == true)
    let running = try #require(WhyTree.why(.initializer("feature-toggles"), in: Situation(.fakePending)))
    #expect(WaitReport.lines(running, pipe, now: 1000) == [])
  }

  @Test("The words of a target are its name", arguments: ["ready", "launch", "active", "composite", "migrate"])
  func words(word: String) {
    #expect(WaitTarget(word).description == word)
    #expect(WaitTarget.words.contains(word) == (WaitTarget(word) != .initializer(word)))
  }
}
