import InitWire
import Testing

@testable import InitSupervisor

@Suite("Subscription")
struct SubscriptionTests {
  private func subscription(_ topics: Set<Topic> = [.pass]) -> Subscription { Subscription(topics: topics) }

  @Test("An event is sent if one of its topics is subscribed to")
  func topics() {
    var subscription = subscription([.launch, .log])
    #expect(subscription.decide(about: Topics([.active, .launch]), bytes: 10, queued: 0, limit: 100) == .send)
    #expect(subscription.decide(about: Topics([.active, .composite]), bytes: 10, queued: 0, limit: 100) == .skip)
    var none = Subscription()
    #expect(none.decide(about: Topics([.pass]), bytes: 10, queued: 0, limit: 100) == .skip)
  }

  @Test("Events are sent up to the limit; one event is always sent if the queue is empty")
  func bound() {
    var subscription = subscription()
    #expect(subscription.decide(about: Topics([.pass]), bytes: 40, queued: 60, limit: 100) == .send)
    #expect(subscription.decide(about: Topics([.pass]), bytes: 1000, queued: 0, limit: 100) == .send)
    #expect(subscription.decide(about: Topics([.pass]), bytes: 41, queued: 60, limit: 100) == .drop)
  }

  @Test("Once behind, everything of its topics is dropped and counted until it has drained (protocol §5)")
  func lag() {
    var subscription = subscription()
    #expect(subscription.drained() == nil)
    _ = subscription.decide(about: Topics([.pass]), bytes: 50, queued: 60, limit: 100)
    #expect(subscription.decide(about: Topics([.pass]), bytes: 1, queued: 0, limit: 100) == .drop)
    #expect(subscription.decide(about: Topics([.log]), bytes: 1, queued: 0, limit: 100) == .skip)
    #expect(subscription.decide(about: Topics([.pass]), bytes: 1, queued: 1, limit: 100) == .drop)
    #expect(subscription.drained() == 3)
    #expect(subscription.drained() == nil)
    #expect(subscription.decide(about: Topics([.pass]), bytes: 1, queued: 1, limit: 100) == .send)
  }
}
