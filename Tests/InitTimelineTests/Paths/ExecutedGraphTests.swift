import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("A pass as executed: edges of its recorded times")
struct ExecutedGraphTests {
  /// The path as `name link from queued`, in microseconds.
  private func path(_ pass: Pass, _ initializers: [Initializer] = []) -> [String] {
    CriticalPath(Timeline(pass, now: 9, status: .fake(initializers))).steps.map {
      "\($0.name) \($0.link) \($0.from ?? "-") \(Int(($0.queued * 1e6).rounded()))"
    }
  }

  @Test("Two times of one moment may differ by a few microseconds: then the dependency is the link, and nothing queued")
  func tolerance() {
    let a = Pass.Run.fake(1, "a", from: 0, for: 1)
    let early = Pass.Run.fake(2, "b", from: 0.999_997, for: 1, after: ["a"])
    #expect(path(.fake([a, early], for: 1.999_997)) == ["a opening - 0", "b dependency a 0"])
    let provided = Pass.Run.fake(2, "b", from: 1.000_003, for: 1, after: ["a"]) { $0.provided = 1.000_003 }
    #expect(path(.fake([a, provided], for: 2.000_003)) == ["a opening - 0", "b dependency a 3"])
    let freed = Pass.Run.fake(3, "b", from: 1.000_003, for: 1, after: ["a"]) {
      $0.freedBy = "c"
      $0.freed = 1.000_003
    }
    let c = Pass.Run.fake(2, "c", from: 0, for: 1.000_003)
    #expect(path(.fake([a, c, freed], for: 2.000_003, concurrency: 2)) == ["a opening - 0", "b dependency a 3"])
    let late = Pass.Run.fake(3, "b", from: 1.5, for: 1, after: ["a"]) {
      $0.freedBy = "c"
      $0.freed = 1.5
    }
    let longer = Pass.Run.fake(2, "c", from: 0, for: 1.500_006)
    #expect(path(.fake([a, longer, late], for: 2.5, concurrency: 2)) == ["c opening - 0", "b place c 0"])
  }

  @Test("What a rounded sum of attempts exceeds is no negative backoff")
  func backoff() {
    let runs = [
      Pass.Run.fake(1, "a", from: 0, for: 1, .failed, of: 2),
      .fake(2, "a", from: 0.999_999, for: 1, attempt: 2, of: 2),
    ]
    let steps = CriticalPath(Timeline(.fake(runs, for: 1.999_999), now: 9)).steps
    #expect(steps.map(\.backoff) == [0])
  }

  @Test("Slack isn't negative, even if a run is recorded to end after its pass")
  func slack() {
    let runs = [Pass.Run.fake(1, "a", from: 0, for: 2.000_002), .fake(2, "b", from: 0, for: 2.000_001)]
    let slack = CriticalPath(Timeline(.fake(runs, for: 2, concurrency: 2), now: 9)).slack
    #expect(slack == [CriticalPath.Slack(name: "b", phase: nil, slack: 0)])
  }

  @Test("The path of a pass that ended with its last run ends there, whatever else was ready")
  func endOfPass() {
    let failed = Pass.Run.fake(1, "a", from: 0, for: 1, .failed)
    #expect(path(.fake([failed], for: 1, .failed), [.fake("a", .failed), .fake("b", .waiting)]) == ["a opening - 0"])
  }

  @Test("The path of a pass that was cancelled later ends at what it waited for, not at what had completed before")
  func endLater() {
    let run = Pass.Run.fake(1, "a", from: 0, for: 1)
    let initializers = [
      Initializer.fake("a", .complete), .fake("remembered", .complete), .fake("c", .waiting, after: "a"),
    ]
    #expect(path(.fake([run], for: 5, .cancelled), initializers) == ["a opening - 0", "c dependency a 4000000"])
  }

  @Test("In a pass in flight, the path ends at the first to start of those that haven't ended, even if it pauses")
  func inFlight() {
    let two = [Pass.Run.fake(1, "a", from: 0, for: nil), .fake(2, "b", from: 1, for: nil)]
    #expect(path(.fake(two, for: nil, concurrency: 2)) == ["a opening - 0"])
    let pausing = [Pass.Run.fake(1, "a", from: 0, for: 1, .failed, of: 2), .fake(2, "b", from: 0.5, for: nil)]
    #expect(path(.fake(pausing, for: nil, concurrency: 2)) == ["a opening - 0"])
  }

  @Test("A dependency that runs again later was satisfied by its earlier run")
  func again() {
    let runs = [
      Pass.Run.fake(1, "d", from: 0, for: 1), .fake(2, "d", from: 1.5, for: 3),
      .fake(3, "x", from: 2, for: 5, after: ["d"]),
    ]
    #expect(path(.fake(runs, for: 7, concurrency: 2)) == ["d opening - 0", "x dependency d 1000000"])
  }
}
