import InitModel
import InitWire
import Testing

@testable import InitServer

@Suite("Subscription")
struct SubscriptionTests {
  private func subscription(seen: Int = 0) -> Subscription {
    Subscription(audience: Audience(Topics([.pass])), index: 0, seen: seen)
  }

  @Test("An audience gets an event if one of its topics is among the event's")
  func topics() {
    let topics = Topics([.launch, .log])
    #expect(topics.overlaps(Topics([.active, .launch])))
    #expect(!topics.overlaps(Topics([.active, .composite])))
    #expect(!Topics([]).overlaps(Topics([.pass])))
  }

  @Test("Events are sent up to the limit, and all of them if the queue is empty")
  func bound() {
    var subscription = subscription()
    #expect(subscription.receive([40], queued: 60, limit: 100, isLast: true) == 0)
    #expect(subscription.receive([600, 1000], queued: 0, limit: 100, isLast: true) == 0)
    #expect(subscription.receive([20, 41], queued: 60, limit: 100, isLast: true) == nil)
    #expect(subscription.drained() == 2)
  }

  @Test("An event is sent once, even if it is asked for before the audience sends it to all")
  func once() {
    var subscription = subscription(seen: 1)
    #expect(subscription.receive([10, 30], queued: 0, limit: 100, isLast: false) == 10)
    #expect(subscription.receive([10, 30], queued: 0, limit: 100, isLast: false) == nil)
    #expect(subscription.receive([10, 30, 35], queued: 0, limit: 100, isLast: true) == 30)
    #expect(subscription.receive([5], queued: 0, limit: 100, isLast: true) == 0)
    #expect(subscription.drained() == nil)
  }

  @Test("Once behind, every event is dropped and counted once until it has drained (protocol §5)")
  func lag() {
    var subscription = subscription()
    #expect(subscription.drained() == nil)
    #expect(subscription.receive([50], queued: 60, limit: 100, isLast: false) == nil)
    #expect(subscription.receive([50, 51], queued: 0, limit: 100, isLast: true) == nil)
    #expect(subscription.receive([1], queued: 1, limit: 100, isLast: true) == nil)
    #expect(subscription.isBehind)
    #expect(subscription.drained() == 3)
    #expect(subscription.drained() == nil)
    #expect(subscription.receive([1], queued: 1, limit: 100, isLast: true) == 0)
  }
}
