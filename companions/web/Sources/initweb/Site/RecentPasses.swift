internal import Passes
internal import Synchronization

/// The last passes, for pages without a history.
final class RecentPasses: Sendable {
  private static let limit = 32
  private let passes = Mutex<[EndedPass]>([])

  /// Takes passes that have ended.
  func take(_ new: [EndedPass]) { passes.withLock { $0 = Array(($0 + new).suffix(Self.limit)) } }

  /// The passes, the newest first.
  var newestFirst: [EndedPass] { passes.withLock { $0.reversed() } }
}
