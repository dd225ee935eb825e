import InitText
import InitWords
import Testing

@testable import InitCore

@Suite("MessageLimit")
struct MessageLimitTests {
  @Test("The messages of a run's progress and error are cut")
  func reports() throws {
    var story = Story([launch("a"), launch("b").optional()], .init(concurrency: 2))
    _ = try story.tell(.started)
    let long = String(repeating: "x", count: 1 << 20)
    _ = try story.progress("a", 0.5, long)
    #expect(story.machine.initializer(named: "a")?.run?.progress?.message == long.cut())
    var machine = story.machine
    _ = try machine.apply(.runFinished(run: story.run(of: "b"), .failure(.error(message: long))), at: story.world.now)
    #expect(machine.initializer(named: "b")?.failure == .initializerFailed("b", .error(message: long.cut())))
  }
}
