import Fleet
import Testing

private typealias Work = LateCompletions.Work
private typealias Report = LateCompletions.Report

private let migrate = Work("migrate", of: "v1")

/// The state of migrate in a supervisor.
private func report(hasFailed: Bool = true, pass: Int = 1, release: String? = "v1") -> Report {
  Report("migrate", release: release, hasFailed: hasFailed, pass: pass)
}

/// A host, with its clock.
private struct Host {
  var rule = LateCompletions()
  var now = Duration.zero

  mutating func on(_ event: LateCompletions.Event) -> [LateCompletions.Effect] { rule.handle(event, at: now) }

  /// Lets the time pass until the value has something to do.
  mutating func wait() -> [LateCompletions.Effect] {
    guard let due = rule.due else { return [] }
    now = max(now, due)
    return rule.handle(.passed, at: now)
  }

  /// Returns a host whose launch has failed with migrate.
  static func failed() -> Host {
    var host = Host()
    _ = host.on(.found([report(hasFailed: false)], launch: .pending))
    _ = host.on(.changed(report()))
    _ = host.on(.launch(.failed))
    return host
  }
}

@Suite("The completion of what has failed here")
struct LateCompletionsTests {
  @Test("When another host completes it, launch is retried once")
  func retried() {
    var host = Host()
    #expect(host.on(.found([report(hasFailed: false)], launch: .pending)) == [])
    #expect(host.on(.changed(report())) == [.follow(migrate)])
    #expect(host.on(.launch(.failed)) == [])
    #expect(host.on(.completed(migrate)) == [.launch(because: migrate)])
    #expect(host.on(.launched(pass: 2)) == [])
    #expect(host.on(.launch(.pending)) == [])
    #expect(host.on(.changed(report(hasFailed: false, pass: 2))) == [.stopFollowing(migrate)])
    #expect(host.on(.launch(.complete)) == [])
    #expect(host.rule.due == nil)
  }

  @Test("While the pass continues, e.g. with keepGoing, its end is awaited")
  func keepsGoing() {
    var host = Host()
    _ = host.on(.found([report()], launch: .pending))
    #expect(host.on(.completed(migrate)) == [])
    #expect(host.rule.due == nil)
    #expect(host.on(.launch(.failed)) == [.launch(because: migrate)])
  }

  @Test("An agent that starts after the failure follows it too")
  func restarted() {
    var host = Host()
    #expect(host.on(.found([report()], launch: .failed)) == [.follow(migrate)])
    #expect(host.on(.completed(migrate)) == [.launch(because: migrate)])
  }

  @Test("A retry that the supervisor doesn't answer is repeated, with growing pauses")
  func unanswered() {
    var host = Host.failed()
    #expect(host.on(.completed(migrate)) == [.launch(because: migrate)])
    for pause in [1, 2, 4, 8, 16, 30, 30] {
      let last = host.now
      #expect(host.rule.due == nil)
      #expect(host.on(.unanswered) == [])
      #expect(host.wait() == [.launch(because: migrate)])
      #expect(host.now - last == .seconds(pause))
    }
  }

  @Test("A retry that has joined the failing pass is repeated when that has failed")
  func joined() {
    var host = Host.failed()
    // Someone else has retried launch, and migrate has failed again: the events about that come later.
    _ = host.on(.completed(migrate))
    #expect(host.on(.launched(pass: 2)) == [])
    #expect(host.on(.launch(.pending)) == [])
    #expect(host.on(.changed(report(pass: 2))) == [])
    #expect(host.wait() == [])
    #expect(host.on(.launch(.failed)) == [])
    #expect(host.wait() == [.launch(because: migrate)])
    #expect(host.now == .seconds(1))
  }

  @Test("A failure of another initializer in the retried launch isn't retried")
  func other() {
    var host = Host.failed()
    _ = host.on(.completed(migrate))
    _ = host.on(.launched(pass: 2))
    // The events of the retry may come later than its answer.
    #expect(host.wait() == [])
    _ = host.on(.launch(.pending))
    _ = host.on(.changed(report(hasFailed: false, pass: 2)))
    #expect(host.on(.launch(.failed)) == [])
    #expect(host.on(.completed(migrate)) == [])
    #expect(host.rule.due == nil)
  }

  @Test("After a complete launch, a later failure is retried at once")
  func again() {
    var host = Host.failed()
    _ = host.on(.completed(migrate))
    _ = host.on(.launched(pass: 2))
    _ = host.on(.changed(report(hasFailed: false, pass: 2)))
    _ = host.on(.launch(.complete))
    _ = host.on(.launch(.pending))
    #expect(host.on(.changed(report(pass: 3))) == [.follow(migrate)])
    _ = host.on(.launch(.failed))
    #expect(host.on(.completed(migrate)) == [.launch(because: migrate)])
  }

  @Test("A completion of another release, or after a new attempt has begun, is no reason")
  func outdated() {
    var host = Host.failed()
    #expect(host.on(.changed(report(release: "v2"))) == [.stopFollowing(migrate), .follow(Work("migrate", of: "v2"))])
    #expect(host.on(.completed(migrate)) == [])
    #expect(host.on(.removed("migrate")) == [.stopFollowing(Work("migrate", of: "v2"))])
    #expect(host.on(.completed(Work("migrate", of: "v2"))) == [])
  }

  @Test("An initializer that isn't once for a release isn't followed")
  func local() {
    var host = Host()
    #expect(host.on(.found([report(release: nil)], launch: .failed)) == [])
  }

  @Test("The next supervisor numbers its passes from 1 again")
  func reconnected() {
    var host = Host.failed()
    _ = host.on(.completed(migrate))
    _ = host.on(.launched(pass: 7))
    #expect(host.on(.disconnected) == [.stopFollowing(migrate)])
    #expect(host.on(.found([report()], launch: .failed)) == [.follow(migrate)])
    #expect(host.on(.completed(migrate)) == [.launch(because: migrate)])
  }
}
