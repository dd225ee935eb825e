internal import Etcd
internal import Fleet
internal import Logging

/// Keeps a lease of etcd.
///
/// `LeaseRenewal` decides what to do; this carries that out.
@FleetActor final class LeaseKeeper {
  private let etcd: EtcdClient
  private let seconds: Int
  private let logger: Logger
  private var rule: LeaseRenewal
  private let alarm = Alarm()
  /// The streams over which the lease is renewed, by number.
  private var streams: [Int: (demands: AsyncStream<Void>.Continuation, task: Task<Void, Never>)] = [:]
  /// Whether the users were told of a lease.
  private var isHeld = false
  /// The supervisor for which the lease is kept.
  let heartbeat: Heartbeat
  /// Called when the lease is new, lasts longer, or has ended.
  var onChange: @FleetActor (HeldLease?, _ reason: String) -> Void = { _, _ in }
  /// Called when programs that act under the lease must stop, because it isn't renewed.
  var onExpiry: @FleetActor (_ reason: String) -> Void = { _ in }

  init(_ etcd: EtcdClient, seconds: Int, _ logger: Logger) {
    self.etcd = etcd
    self.seconds = seconds
    self.logger = logger
    rule = LeaseRenewal(
      timeToLive: .seconds(seconds), members: etcd.memberCount, seed: .random(in: .min ... .max))
    heartbeat = Heartbeat(limit: .seconds(seconds))
    heartbeat.onChange = { [weak self] sent in
      self?.feed(sent.map { .supervisorAnswered(sent: $0) } ?? .supervisorLeft)
    }
    etcd.onPreference = { [weak self] member in self?.feed(.preferred(member: member)) }
  }

  /// How long the lease lasts without a renewal.
  var timeToLive: Duration { .seconds(seconds) }

  /// The lease in the form for programs that act under it; nil if there is none.
  var lease: HeldLease? { rule.lease }

  /// Why this host has no lease, or why the lease isn't renewed.
  var trouble: String { rule.trouble }

  /// Sets the time that programs that act under the lease need to stop.
  func allow(cancelGrace: Duration) { feed(.allowed(cancelGrace: cancelGrace)) }

  /// Keeps a lease until the task is cancelled.
  func keep() async {
    feed(.began)
    await Milestone().wait()
    feed(.stopped)
  }

  /// Ends the lease.
  func giveUp() async {
    for effect in rule.handle(.gaveUp, at: FleetClock.now) {
      if case .revoke(let lease) = effect { try? await etcd.revoke(lease: lease) } else { carryOut(effect) }
    }
    alarm.set(rule.due) {}
  }

  /// Lets the lease run out, and obtains another lease.
  func abandon() { feed(.abandoned) }

  /// Renews the lease now.
  func prolong() { feed(.demanded) }

  private func feed(_ event: LeaseRenewal.Event) {
    let effects = rule.handle(event, at: FleetClock.now)
    alarm.set(rule.due) { [weak self] in self?.feed(.passed) }
    for effect in effects { carryOut(effect) }
  }

  private func carryOut(_ effect: LeaseRenewal.Effect) {
    switch effect {
    case .grant: Task { await obtain() }
    case .open(let stream, let member, let lease):
      let (demands, demand) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      logger.trace("asks member \(member) for a renewal of lease \(String(lease, radix: 16)) over a new stream")
      demand.yield()
      streams[stream] = (demand, Task { await renew(lease, at: member, over: stream, on: demands) })
    case .renew(let stream):
      logger.trace("asks for a renewal over stream \(stream)")
      streams[stream]?.demands.yield()
    case .close(let stream):
      guard let old = streams.removeValue(forKey: stream) else { return }
      old.demands.finish()
      old.task.cancel()
    case .prefer(let member): etcd.prefer(member)
    case .tell(let lease, let reason):
      if lease == nil { logger.trace("\(isHeld ? "the lease is lost" : "there is no lease"): \(reason)") }
      isHeld = lease != nil
      onChange(lease, reason)
    case .expire(let reason): onExpiry(reason)
    case .revoke(let lease): Task { try? await etcd.revoke(lease: lease) }
    case .say(let words): logger.info("\(words)")
    case .warn(let words): logger.warning("\(words)")
    }
  }

  private func obtain() async {
    let sent = FleetClock.now
    do throws(EtcdError) {
      let lease = try await etcd.grantLease(seconds: seconds)
      feed(.granted(lease: lease, sent: sent, member: etcd.first))
    } catch {
      feed(.notGranted(LeaseRenewal.Failure(error)))
    }
  }

  /// Renews the lease over one stream, until that has ended.
  private func renew(_ lease: Int, at member: Int, over stream: Int, on demands: AsyncStream<Void>) async {
    do throws(EtcdError) {
      try await etcd.keepAlive(lease: lease, at: member, on: demands) { instant, seconds in
        let sent = FleetClock.moment(instant)
        self.logger.trace(
          "lease \(String(lease, radix: 16)) has \(seconds) s: answer to a renewal sent \(FleetClock.now - sent) ago")
        self.feed(.answered(stream: stream, lease: lease, sent: sent, seconds: seconds))
      }
      feed(.streamEnded(stream, nil))
    } catch {
      if case .refused(_, .noLease) = error { return feed(.missed(lease: lease)) }
      feed(.streamEnded(stream, LeaseRenewal.Failure(error)))
    }
    streams[stream] = nil
  }
}

extension LeaseRenewal.Failure {
  fileprivate init(_ error: EtcdError) {
    self.init(error.words, mayPass: error.mayPass, isDenied: error.isDenied)
  }
}
