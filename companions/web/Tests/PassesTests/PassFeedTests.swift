import Testing

@testable import Passes

@Suite("The feed of passes")
struct PassFeedTests {
  static func passes(_ numbers: some Sequence<Int>, of instance: String = "a") -> [EndedPass] {
    numbers.map {
      EndedPass(
        instance: instance, number: $0, phase: .active, started: Double($0), duration: 0.5, outcome: .complete)
    }
  }

  static func question(_ feed: inout PassFeed) throws -> PassFeed.Question {
    let question = feed.ask()
    return try #require(question)
  }

  /// Asks, and takes the answer: the numbers of the new passes.
  static func asked(_ feed: inout PassFeed, _ numbers: some Sequence<Int>) throws -> [Int] {
    let question = try question(&feed)
    return feed.take(passes(numbers, of: question.instance), answering: question).map(\.number)
  }

  /// Returns a feed that has handed on pass 1.
  static func begun() throws -> PassFeed {
    var feed = PassFeed()
    feed.begin(instance: "a")
    #expect(try asked(&feed, [1]) == [1])
    return feed
  }

  @Test("A snapshot asks for everything, an event for its pass, and several for a little more")
  func limits() throws {
    var feed = PassFeed()
    #expect(feed.ask() == nil)
    feed.begin(instance: "a")
    let whole = try Self.question(&feed)
    #expect(whole.limit == 32)
    #expect(feed.ask() == nil)
    #expect(feed.take(Self.passes(1...2), answering: whole).map(\.number) == [1, 2])
    feed.end(3)
    let one = try Self.question(&feed)
    #expect(one.limit == 1)
    #expect(feed.take(Self.passes([3]), answering: one).map(\.number) == [3])
    #expect(feed.ask() == nil)
    feed.end(4)
    feed.end(5)
    let several = try Self.question(&feed)
    #expect(several.limit == 4)
    #expect(feed.take(Self.passes(2...5), answering: several).map(\.number) == [4, 5])
  }

  @Test("A question is urgent after a snapshot, and if half of what a supervisor remembers has ended")
  func urgency() throws {
    var feed = PassFeed()
    #expect(!feed.isUrgent)
    feed.begin(instance: "a")
    #expect(feed.isUrgent)
    #expect(try Self.asked(&feed, [1]) == [1])
    for number in 2...16 { feed.end(number) }
    #expect(!feed.isUrgent)
    feed.end(17)
    #expect(feed.isUrgent)
    #expect(try Self.asked(&feed, 1...17) == Array(2...17))
    #expect(!feed.isUrgent)
  }

  @Test("A pass is handed on once, whatever is said again")
  func once() throws {
    var feed = try Self.begun()
    feed.end(1)
    #expect(feed.ask() == nil)
    feed.begin(instance: "a")
    #expect(try Self.asked(&feed, [1]) == [])
    #expect(feed.missed == 0)
  }

  @Test("A pass that ends late is new, although later ones were handed on")
  func late() throws {
    var feed = try Self.begun()
    feed.end(3)
    #expect(try Self.asked(&feed, [1, 3]) == [3])
    feed.end(2)
    #expect(try Self.asked(&feed, [1, 3, 2]) == [2])
  }

  @Test("If more end than were asked for, everything is asked for before one is handed on: they stay in order")
  func overtaken() throws {
    var feed = try Self.begun()
    feed.end(2)
    #expect(try Self.asked(&feed, 4...6).isEmpty)
    let whole = try Self.question(&feed)
    #expect(whole.limit == 32)
    #expect(feed.take(Self.passes(1...6), answering: whole).map(\.number) == [2, 3, 4, 5, 6])
    #expect(feed.missed == 0)
  }

  @Test("A pass whose end is told while the supervisor answers isn't missed")
  func during() throws {
    var feed = try Self.begun()
    feed.begin(instance: "a")
    let question = try Self.question(&feed)
    feed.end(2)
    #expect(feed.take(Self.passes([1]), answering: question).isEmpty)
    #expect(feed.missed == 0)
    #expect(try Self.asked(&feed, 1...2) == [2])
    #expect(feed.ask() == nil)
  }

  @Test("Another supervisor's passes have the same numbers, and are new")
  func another() throws {
    var feed = try Self.begun()
    feed.end(2)
    let question = try Self.question(&feed)
    feed.begin(instance: "b")
    #expect(feed.take(Self.passes(1...2), answering: question).isEmpty)
    #expect(try Self.asked(&feed, [1]) == [1])
    // The supervisor ended before it reported pass 2.
    #expect(feed.missed == 1)
  }

  @Test("After a failure, everything is asked for")
  func failed() throws {
    var feed = try Self.begun()
    feed.end(2)
    feed.fail(try Self.question(&feed))
    let whole = try Self.question(&feed)
    #expect(whole.limit == 32)
    #expect(feed.take(Self.passes(1...2), answering: whole).map(\.number) == [2])
    #expect(feed.ask() == nil)
  }

  @Test("What the supervisor has forgotten is counted")
  func forgotten() throws {
    var feed = try Self.begun()
    for number in 2...50 { feed.end(number) }
    #expect(try Self.asked(&feed, 19...50) == Array(19...50))
    #expect(feed.missed == 17)
    #expect(feed.ask() == nil)
    // Without events.
    feed.begin(instance: "a")
    #expect(try Self.asked(&feed, 61...92) == Array(61...92))
    #expect(feed.missed == 27)
  }

  @Test("The times of a pass and a run")
  func times() {
    let run = EndedRun(number: 1, initializer: "a", ready: 10, started: 10.5, duration: 2, outcome: .complete)
    #expect(run.ended == 12.5)
    #expect(run.queued == 0.5)
    var later = run
    later.attempt = 2
    #expect(later.queued == nil)
    var pass = Self.passes([10])[0]
    #expect(pass.openDuration == 0)
    pass.opened = 10.25
    #expect(pass.openDuration == 0.25)
  }
}
