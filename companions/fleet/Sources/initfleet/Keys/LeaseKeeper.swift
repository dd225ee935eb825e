internal import Etcd
internal import Fleet

/// Keeps a lease of etcd: obtains one, renews it over a stream, and obtains another lease when it has ended.
///
/// etcd's clock may run faster than this host's, by a twentieth, so the work under the lease gets an earlier end.
@FleetActor final class LeaseKeeper {
  private let etcd: EtcdClient
  private let seconds: Int
  /// The lease in the form for programs that act under it; nil if there is none.
  private(set) var lease: HeldLease?
  /// The end of the lease by this host's clock.
  private var end = Duration.zero
  /// The time when the last answered renewal was sent.
  private var renewed = Duration.zero
  /// Why this host has no lease, or why the lease isn't renewed.
  private(set) var trouble = "this host has no lease yet"
  /// Whether the trouble was reported.
  private var isTroubled = false
  /// The time that the users of the lease need to stop.
  private var cancelGrace = Duration.zero
  /// The demands for renewals; nil while there is no stream.
  private var demands: AsyncStream<Void>.Continuation?
  /// Demands renewals in time.
  private var pacing: Task<Void, Never>?
  /// When the last answer came.
  private var answered = Duration.zero
  /// The supervisor for which the lease is kept.
  let heartbeat: Heartbeat
  /// Called when the lease is new, lasts longer, or has ended.
  var onChange: @FleetActor (HeldLease?, _ reason: String) -> Void = { _, _ in }

  init(_ etcd: EtcdClient, seconds: Int) {
    self.etcd = etcd
    self.seconds = seconds
    heartbeat = Heartbeat(limit: .seconds(seconds))
  }

  var timeToLive: Duration { .seconds(seconds) }
  var drift: Duration { max(timeToLive / 20, .milliseconds(100)) }

  /// The pause between two renewals.
  ///
  /// Programs that act under the lease must get a new end before they begin to stop.
  private var interval: Duration {
    max(min(timeToLive / 3, (timeToLive - drift - cancelGrace) / 2), .milliseconds(200))
  }

  /// How long an answer may take before another member is asked.
  private var patience: Duration { min(.seconds(3), max(.milliseconds(300), timeToLive / 10)) }

  /// Sets the time that programs that act under the lease need to stop.
  func allow(cancelGrace: Duration) {
    self.cancelGrace = cancelGrace
    if let old = lease {
      // The pause between two renewals has changed.
      lease = HeldLease(id: old.id, end: old.end, freshUntil: renewed + interval)
      onChange(lease, "")
      startPacing(old.id)
    }
    let needed = cancelGrace + drift + .seconds(1)
    guard timeToLive < needed else { return }
    let (whole, part) = needed.components
    Console.complain(
      "the lease of \(timeToLive.words) is too short for cancelGrace, \(cancelGrace.words): runs would be stopped; use --lease \(whole + (part > 0 ? 1 : 0))s or longer"
    )
  }

  /// Keeps a lease until the task is cancelled.
  func keep() async {
    while !Task.isCancelled {
      if heartbeat.isSilent, lease == nil {
        try? await Task.sleep(for: .milliseconds(200))
      } else if let lease {
        await renew(lease.id)
      } else {
        await obtain()
      }
    }
  }

  /// Ends the lease.
  func giveUp() async {
    let id = lease?.id
    lease = nil
    demands?.finish()
    if let id { try? await etcd.revoke(lease: id) }
  }

  /// Lets the lease run out, and obtains another lease.
  func abandon() { lose("this host has given up its lease") }

  /// Renews the lease now.
  func prolong() { demands?.yield() }

  private func obtain() async {
    let sent = FleetClock.now
    do throws(EtcdError) {
      let id = try await etcd.grantLease(seconds: seconds)
      extend(id, from: sent, by: seconds)
    } catch {
      record(error)
      onChange(nil, trouble)
      try? await Task.sleep(for: .milliseconds(Int.random(in: 300...700)))
    }
  }

  /// Renews the lease as long as the stream lasts.
  private func renew(_ id: Int) async {
    let (stream, demands) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.demands = demands
    startPacing(id)
    defer {
      pacing?.cancel()
      demands.finish()
      self.demands = nil
    }
    let error = await withTaskCancellationHandler {
      do throws(EtcdError) {
        try await etcd.keepAlive(lease: id, on: stream) { sent, seconds in
          self.handleAnswer(id, FleetClock.moment(sent), seconds)
        }
        return nil as EtcdError?
      } catch {
        return error
      }
    } onCancel: {
      demands.finish()
    }
    if let error {
      guard lease?.id == id else { return }
      if case .refused(_, .noLease) = error { return lose("the lease of this host has ended") }
      record(error)
      if FleetClock.now >= end { return lose("\(error), and the lease of this host has ended") }
    }
    guard lease?.id == id, !Task.isCancelled else { return }
    try? await Task.sleep(for: .milliseconds(Int.random(in: 200...400)))
  }

  private func startPacing(_ id: Int) {
    pacing?.cancel()
    guard let demands else { return }
    pacing = Task { await pace(id, demands) }
  }

  /// Demands renewals of the lease.
  private func pace(_ id: Int, _ demands: AsyncStream<Void>.Continuation) async {
    while !Task.isCancelled, let lease, lease.id == id {
      // Hosts that have started together must not renew together indefinitely.
      let due = lease.freshUntil - interval * Double.random(in: 0...0.1)
      if FleetClock.now < due {
        try? await Task.sleep(until: FleetClock.instant(due))
        continue
      }
      if heartbeat.isSilent {
        let words = "the supervisor hasn't answered for \(timeToLive.words)"
        if FleetClock.now >= end { return lose("\(words), and the lease of this host has ended") }
        if trouble != words { Console.complain("\(words): its lease isn't renewed; check whether it hangs") }
        trouble = words
        try? await Task.sleep(for: .milliseconds(100))
        continue
      }
      let asked = FleetClock.now
      Console.trace("asks for a renewal of lease \(String(id, radix: 16))")
      demands.yield()
      try? await Task.sleep(for: patience)
      guard !Task.isCancelled, self.lease?.id == id, answered < asked else { continue }
      record(.unreachable("no answer to a renewal within \(patience.words)"))
      if FleetClock.now >= end { return lose("\(trouble), and the lease of this host has ended") }
      // A single member may be slow: its answer still counts.
      if etcd.hasOthers { return etcd.askAnother(because: .unreachable("no answer to a renewal")) }
    }
  }

  private func handleAnswer(_ id: Int, _ sent: Duration, _ seconds: Int) {
    guard lease?.id == id else { return }
    answered = FleetClock.now
    Console.trace("lease \(String(id, radix: 16)) has \(seconds) s: answer to a renewal sent \(answered - sent) ago")
    guard seconds > 0 else { return lose("the lease of this host has ended") }
    extend(id, from: sent, by: min(seconds, self.seconds))
  }

  private func extend(_ id: Int, from sent: Duration, by seconds: Int) {
    if isTroubled { Console.complain("etcd answers again") }
    isTroubled = false
    let new = sent + .seconds(seconds)
    guard lease?.id != id || new > end else { return }
    end = new
    renewed = sent
    let held = HeldLease(id: id, end: new - drift, freshUntil: sent + interval)
    lease = held
    onChange(held, "")
  }

  private func lose(_ reason: String) {
    lease = nil
    Console.trace("the lease is lost: \(reason)")
    trouble = reason
    demands?.finish()
    onChange(nil, reason)
  }

  private func record(_ error: EtcdError) {
    trouble = error.words
    // Denied access is reported elsewhere; a refused certificate only if it ends the program, at its start.
    guard error.mayPass, !error.isDenied || end > .zero, !isTroubled else { return }
    isTroubled = true
    Console.complain("\(trouble); trying again")
  }
}
