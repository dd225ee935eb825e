import InitCore
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("How launch delayed an active pass")
struct LaunchWaitTests {
  typealias Role = Scenario.Role

  private func delay(_ roles: [Role], activated: Double = 0, concurrency: Int = 4, until: Double? = nil) -> LaunchWait?
  {
    let scenario = Scenario(
      roles: roles, concurrency: concurrency, until: until, events: [(activated, .activated(hold: nil))], pass: 2)
    let recorded = scenario.playBoth()
    return LaunchWait(recorded.timeline, in: recorded.status)
  }

  private func milliseconds(_ seconds: Double) -> Int { Int((seconds * 1000).rounded()) }

  @Test("It waited needlessly from the end of its last direct or indirect dependency in launch")
  func needless() throws {
    let wait = try #require(
      delay([
        Role(name: "base", attempts: [1]), Role(name: "migrate", needs: ["base"], attempts: [2]),
        Role(name: "static", attempts: [8]), Role(name: "docs", attempts: [5]),
        Role(name: "page", needs: ["menu"], priority: .appActive),
        Role(name: "menu", needs: ["migrate"], priority: .appActive),
      ]))
    #expect((milliseconds(wait.held), wait.last, milliseconds(wait.needless)) == (8000, "static", 5000))
    #expect(wait.culprits == ["static", "docs"])
  }

  @Test("What it needs isn't to blame, even if it ends last")
  func needed() throws {
    let wait = try #require(
      delay([
        Role(name: "a", attempts: [2]), Role(name: "b", attempts: [3]),
        Role(name: "z", needs: ["b"], priority: .appActive),
      ]))
    #expect((milliseconds(wait.held), wait.last, wait.needless, wait.culprits) == (3000, "b", 0, []))
  }

  @Test("Only the time from the activation on counts, and up to now while it waits")
  func partly() throws {
    let roles = [Role(name: "a", attempts: [4]), Role(name: "z", priority: .appActive)]
    let late = try #require(delay(roles, activated: 3))
    #expect((milliseconds(late.held), milliseconds(late.needless)) == (1000, 1000))
    let waiting = try #require(delay(roles, until: 1.5))
    #expect((milliseconds(waiting.held), milliseconds(waiting.needless)) == (1500, 1500))
  }

  @Test("A pass alone, and one that didn't wait, have none")
  func none() {
    let single = Scenario(roles: [Role(name: "a")]).play()
    #expect(LaunchWait(single.timeline, in: single.status) == nil)
    #expect(delay([Role(name: "z", priority: .appActive)]) == nil)
  }
}
