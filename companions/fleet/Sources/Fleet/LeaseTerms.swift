/// How long a lease must be for programs that act under it, and need some time to stop.
///
/// The programs begin to stop `cancelGrace` and ``margin`` before the lease ends, less the drift. A renewal must reach them before that, even
/// if etcd or a busy machine is slow. It begins after half of what the drift and `cancelGrace` leave of the lease, at the latest. So if they
/// leave a second, a renewal may take 300 ms. If they leave less than 400 ms, every renewal comes too late.
package struct LeaseTerms: Sendable, Hashable {
  /// How long the lease lasts without a renewal.
  package let timeToLive: Duration

  package init(timeToLive: Duration) { self.timeToLive = timeToLive }

  /// How much earlier etcd may end the lease than this host's clock says.
  package var drift: Duration { max(timeToLive / 20, .milliseconds(100)) }

  /// How much earlier than `cancelGrace` before the end the supervisor begins to stop everything.
  package static let margin = Duration.milliseconds(200)
  /// What the drift and `cancelGrace` must leave of a lease.
  package static let rest = Duration.seconds(1)

  /// Returns whether the lease is long enough for programs that need that time to stop.
  package func fits(cancelGrace: Duration) -> Bool { timeToLive - drift - cancelGrace >= Self.rest }

  /// Returns the shortest lease in whole seconds that is long enough.
  package static func shortest(cancelGrace: Duration) -> Duration {
    var terms = LeaseTerms(timeToLive: .seconds(cancelGrace.components.seconds))
    while !terms.fits(cancelGrace: cancelGrace) { terms = LeaseTerms(timeToLive: terms.timeToLive + .seconds(1)) }
    return terms.timeToLive
  }

  /// Returns a sentence that says why the lease doesn't fit.
  package func misfit(cancelGrace: Duration) -> String {
    "a lease of \(timeToLive.words) is too short for cancelGrace, \(cancelGrace.words): the lease must be longer by its drift, \(drift.words), and \(Self.rest.words)"
  }

  /// Returns what to do about it.
  package static func remedy(cancelGrace: Duration) -> String {
    "use --lease \(shortest(cancelGrace: cancelGrace).components.seconds)s or longer, or a shorter cancelGrace"
  }
}
