import AppInitializers
import AppInitializersFoundation
import Foundation
import Testing

private final class Session: AppInitializer {
  let priority = InitializerPriority.appActive
  func run() async throws {}
}

@Suite("NotificationLifecycle")
struct NotificationLifecycleTests {
  @Test("Notifications after its creation become events in order")
  func order() async {
    let center = NotificationCenter()
    let lifecycle = NotificationLifecycle(center: center)
    for name in [Notification.Name.appDidBecomeActive, .appWillResignActive, .appWillResignActive, .appDidBecomeActive]
    {
      center.post(name: name, object: nil)
    }
    var iterator = lifecycle.makeAsyncIterator()
    var events: [LifecycleEvent] = []
    while events.count < 4, let event = await iterator.next() { events.append(event) }
    #expect(events == [.activate, .deactivate, .deactivate, .activate])
  }

  @Test("A manager follows it (S4)")
  func followed() async {
    let center = NotificationCenter()
    let manager = InitManager([Session()], lifecycle: NotificationLifecycle(center: center))
    center.post(name: .appDidBecomeActive, object: nil)
    for await state in manager.state.values where state == .complete { break }
    #expect(manager.activeState.current == .complete)
  }

  @Test("Any pair of names can be used, and other notifications are ignored")
  func names() async {
    let center = NotificationCenter()
    let open = Notification.Name("open")
    let closed = Notification.Name("closed")
    let lifecycle = NotificationLifecycle(center: center, activate: open, deactivate: closed)
    for name in [.appDidBecomeActive, closed, open] { center.post(name: name, object: nil) }
    var iterator = lifecycle.makeAsyncIterator()
    #expect(await iterator.next() == .deactivate)
    #expect(await iterator.next() == .activate)
  }
}
