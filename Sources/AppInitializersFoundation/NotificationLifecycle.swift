public import AppInitializers
public import Foundation

extension Notification.Name {
  /// The app became active. Ours: any program posts it when that is so.
  public static let appDidBecomeActive = Notification.Name("AppInitializers.appDidBecomeActive")
  /// The app is no longer active. Ours, the other of the pair.
  public static let appWillResignActive = Notification.Name("AppInitializers.appWillResignActive")
}

/// Lifecycle events from a notification center: a pair of notifications, so that what one of them cancelled the other starts again.
///
/// ```swift
/// let manager = InitManager([SessionInitializer()], lifecycle: NotificationLifecycle())
/// NotificationCenter.default.post(name: .appDidBecomeActive, object: nil)
/// ```
///
/// It listens from the moment it is made, and keeps the order in which notifications were posted. It is for one manager: iterate it once. Of events that
/// aren't taken the newest ``backlog`` are kept.
public struct NotificationLifecycle: AsyncSequence, Sendable {
  /// How many events that aren't taken are kept.
  public static let backlog = 256

  private let events: AsyncStream<LifecycleEvent>

  /// Listens to a pair of notifications.
  ///
  /// - Parameters:
  ///   - center: where they are posted.
  ///   - activate: the app became active.
  ///   - deactivate: the app is no longer active.
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

  /// An iterator over the events.
  public func makeAsyncIterator() -> AsyncStream<LifecycleEvent>.Iterator { events.makeAsyncIterator() }

  /// What the center knows an observer by. It is only ever handed back.
  private struct Observer: @unchecked Sendable {
    private let token: any NSObjectProtocol
    private let center: NotificationCenter

    init(_ token: any NSObjectProtocol, _ center: NotificationCenter) { (self.token, self.center) = (token, center) }

    func remove() { center.removeObserver(token) }
  }
}

#if canImport(UIKit)
  import UIKit

  extension NotificationLifecycle {
    /// The lifecycle of a UIKit app. This is compiled on Apple's platforms only, and could not be run by us.
    @MainActor public static var application: NotificationLifecycle {
      NotificationLifecycle(
        activate: UIApplication.didBecomeActiveNotification, deactivate: UIApplication.willResignActiveNotification)
    }
  }
#endif
