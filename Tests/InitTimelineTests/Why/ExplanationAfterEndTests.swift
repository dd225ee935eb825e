import InitModel
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("Why after the end")
struct ExplanationAfterEndTests {
  @Test("Nothing is advised that needs a running supervisor; what is wrong in a manifest still is")
  func advice() {
    var root = Explanation("ready", "failed")
    root.because = [
      Explanation("a", "failed", remedy: "fix it, then retry with initctl launch"),
      Explanation("b", "failed", remedy: "remove one of these dependencies"),
      Explanation("app", "inactive", remedy: "make it active with initctl activate"),
      Explanation("c", "waiting", remedy: "start the worker that registers it"),
      Explanation("d", "running", remedy: "that is longer than usual: see initctl logs d"),
    ]
    let ended = root.afterEnd
    #expect(
      ended.because.map(\.remedy) == [
        "fix it, then start the supervisor again", "remove one of these dependencies", nil,
        "start the worker that registers it", nil,
      ])
    #expect(ended.because.map(\.name) == root.because.map(\.name))
  }
}
