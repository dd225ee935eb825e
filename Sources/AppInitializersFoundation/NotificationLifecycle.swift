public import AppInitializers
public import Foundation

extension Notification.Name {
  /// The app became active.
  ///
  /// A notification of this library, which any program may post.
  public static let appDidBecomeActive = Notification.Name("AppInitializers.appDidBecomeActive")
  /// The app is no longer active: the other notification of the pair.
  public static let appWillResignActive = Notification.Name("AppInitializers.appWillResignActive")
}

/// Lifecycle events from a pair of notifications of a notification center: one cancels work, the other starts it again.
///
/// ```swift
/// let manager = InitManager([SessionInitializer()], lifecycle: NotificationLifecycle())
/// NotificationCenter.default.post(name: .appDidBecomeActive, object: nil)
/// ```
///
/// The sequence observes notifications as soon as it is created, and keeps their order. It is for one manager: iterate it once. The newest
/// ``backlog`` unread events are kept.
public struct NotificationLifecycle: AsyncSequence, Sendable {
  /// How many unread events are kept.
  public static let backlog = 256

  private let events: AsyncStream<LifecycleEvent>

  /// Listens to a pair of notifications.
  ///
  /// - Parameters:
  ///   - center: the notification center to observe.
  ///   - activate: the notification that the app became active.
  ///   - deactivate: the notification that the app is no longer active.
  public init(
    center: NotificationCenter = .default, activate: Notification.Name = .appDidBecomeActive,
    deactivate: Notification.Name = .appWillResignActive
  ) {
    let (events, continuation) = AsyncStream.makeStream(
      of: LifecycleEvent.self, bufferingPolicy: .bufferingNewest(Self.backlog))
    let observers = [(activate, LifecycleEvent.activate), (deactivate, .deactivate)].map { name, event in
      Observer(center.addObserver(forName: name, object: nil, queue: nil) { _ in continuation.yield(event) }, center)
    }
    continuation.onTermination = { _ in for observer in observers { observer.remove() } }
    self.events = events
  }

  /// Creates an iterator over the events.
  public func makeAsyncIterator() -> AsyncStream<LifecycleEvent>.Iterator { events.makeAsyncIterator() }

  /// The center's token of an observer.
  ///
  /// The object is only passed back to the center.
  private struct Observer: @unchecked Sendable {
    private let token: any NSObjectProtocol
    private let center: NotificationCenter

    init(_ token: any NSObjectProtocol, _ center: NotificationCenter) {
      self.token = token
      self.center = center
    }

    func remove() { center.removeObserver(token) }
  }
}

#if canImport(UIKit)
  import UIKit

  extension NotificationLifecycle {
    /// The lifecycle of a UIKit app.
    ///
    /// Compiled only on Apple's platforms, and untested.
    @MainActor public static var application: NotificationLifecycle {
      NotificationLifecycle(
        activate: UIApplication.didBecomeActiveNotification, deactivate: UIApplication.willResignActiveNotification)
    }
  }
#endif
