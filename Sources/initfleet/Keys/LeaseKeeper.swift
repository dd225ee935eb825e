internal import Etcd
internal import EventLoop
internal import InitText

/// Keeps a lease of etcd: obtains one, renews it, and obtains another one when it has ended.
///
/// etcd's clock may run faster than this host's, by a twentieth, so the work under the lease gets an earlier end.
actor LeaseKeeper {
  /// The loop as an executor.
  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A lease that hasn't ended, as far as this process knows.
  struct Lease: Sendable {
    let id: Int
    /// When it ends at the earliest, by the loop's clock.
    var end: Duration
    /// The same, for those who act for it.
    var safeEnd: Duration
  }

  /// The callbacks, on the loop's thread.
  struct Handlers: Sendable {
    var onObtained: @Sendable (Lease) -> Void
    /// Called when the lease lasts longer.
    var onRenewed: @Sendable (Lease) -> Void
    /// Called when the lease has ended, and its keys are deleted, or will be.
    var onLost: @Sendable (_ reason: String) -> Void
    /// etcd didn't answer.
    var onTrouble: @Sendable () -> Void
  }

  private let etcd: Etcd
  private var handlers: Handlers?
  private(set) var lease: Lease?
  /// Why there is no lease.
  private(set) var trouble: String?
  /// Whether that was reported.
  private var isTroubled = false
  /// How long those who act for the lease need to stop.
  private var cancelGrace = Duration.zero
  private let seconds: Int

  init(_ etcd: Etcd, seconds: Int) {
    loop = etcd.loop
    self.etcd = etcd
    self.seconds = seconds
  }

  nonisolated var timeToLive: Duration { .seconds(seconds) }
  nonisolated var drift: Duration { max(timeToLive / 20, .milliseconds(100)) }

  /// The pause between two renewals.
  ///
  /// Those who act for the lease must get a new end before they begin to stop.
  private var interval: Duration {
    max(min(timeToLive / 3, (timeToLive - drift - cancelGrace) / 2), .milliseconds(200))
  }

  /// Those who act for the lease need this time to stop.
  ///
  /// Returns how long the lease must be at least, if it is too short.
  func allow(cancelGrace: Duration) -> Duration? {
    self.cancelGrace = cancelGrace
    let needed = cancelGrace + drift + .seconds(1)
    return timeToLive < needed ? needed : nil
  }

  /// The sentence about a lease that is too short.
  static func isTooShort(_ lease: Duration, for cancelGrace: Duration, _ needed: Duration) -> String {
    "the lease of \(lease.words) is too short for cancelGrace, \(cancelGrace.words): runs would be stopped; use --lease \(needed.rounded) or longer"
  }

  /// Keeps a lease until the task is cancelled.
  func keep(_ handlers: Handlers) async {
    self.handlers = handlers
    while !Task.isCancelled {
      if let lease { await renew(lease) } else { await obtain() }
    }
  }

  /// Ends the lease.
  func giveUp() async {
    if let id = lease?.id { try? await etcd.revoke(lease: id) }
    lease = nil
  }

  /// Lets the lease run out, and obtains another one.
  func abandon() { lease = nil }

  /// The lease, renewed if it may be too short to begin something.
  ///
  /// Nil if it isn't this one any more, or the task was cancelled.
  func prolonged(_ id: Int) async -> Lease? {
    while !Task.isCancelled, let current = lease, current.id == id {
      // Renewed at most one interval ago: it can't become much longer.
      if timeToLive - (current.end - loop.now) < interval { return current }
      do throws(EtcdError) {
        return try await renewed(current)
      } catch {
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    return nil
  }

  private func record(_ error: EtcdError) {
    let words = error.words
    trouble = words
    // Denied access is reported elsewhere.
    if error.isUnreachable, !isTroubled {
      isTroubled = true
      FleetConsole.complain("\(words); trying again")
    }
    handlers?.onTrouble()
  }

  private func recordAnswer() {
    if isTroubled { FleetConsole.complain("etcd answers again") }
    isTroubled = false
  }

  private func obtain() async {
    let sent = loop.now
    do throws(EtcdError) {
      let id = try await etcd.grantLease(seconds: seconds)
      let lease = Lease(id: id, end: sent + timeToLive, safeEnd: sent + timeToLive - drift)
      self.lease = lease
      recordAnswer()
      handlers?.onObtained(lease)
    } catch {
      record(error)
      try? await Task.sleep(for: .milliseconds(Int.random(in: 300...700)))
    }
  }

  private func renew(_ lease: Lease) async {
    // Hosts that have started together must not renew together indefinitely.
    try? await Task.sleep(for: interval * Double.random(in: 0.9...1))
    while !Task.isCancelled, let current = self.lease, current.id == lease.id {
      do throws(EtcdError) {
        if let renewed = try await renewed(current) { handlers?.onRenewed(renewed) }
        return
      } catch {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 200...400)))
      }
    }
  }

  /// Renews the lease once.
  ///
  /// Nil if it has ended.
  ///
  /// - Throws: `EtcdError` if etcd doesn't answer or denies access, and the lease may still last.
  private func renewed(_ old: Lease) async throws(EtcdError) -> Lease? {
    let sent = loop.now
    var reason = "the lease of this host has ended"
    do throws(EtcdError) {
      let granted = try await etcd.keepAlive(lease: old.id)
      if granted > 0 {
        guard let current = lease, current.id == old.id else { return nil }
        let end = max(current.end, sent + .seconds(min(granted, seconds)))
        let renewed = Lease(id: old.id, end: end, safeEnd: end - drift)
        lease = renewed
        recordAnswer()
        return renewed
      }
    } catch {
      record(error)
      // Any other refusal may pass, and doesn't extend the lease.
      if !"\(error)".contains("lease not found"), loop.now < old.end { throw error }
      reason = "\(error), and the lease of this host has ended"
    }
    if lease?.id == old.id {
      lease = nil
      trouble = reason
      handlers?.onLost(reason)
    }
    return nil
  }
}

extension Duration {
  /// In whole seconds, rounded up, as an argument.
  fileprivate var rounded: String { "\(components.seconds + (components.attoseconds > 0 ? 1 : 0))s" }
}
