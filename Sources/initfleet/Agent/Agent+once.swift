internal import Etcd
internal import EventLoop
internal import Fleet
internal import InitClient
internal import InitJSON
internal import InitText
internal import InitWire

/// Why a run that is marked `once` fails.
struct OnceError: Error, CustomStringConvertible {
  let description: String
}

/// Initializers that run once for a release.
extension Agent {
  /// Decides about a claim: takes it, waits for the host that has it, or learns that it is done.
  ///
  /// - Throws: `CancellationError` when the claim has ended.
  func decide(_ claim: ClaimParams) async throws -> ClaimResult {
    let keys = keys.once(claim.initializer, release: claim.release)
    // If the connection was lost before this task began, the owner would be that of another run.
    try Task.checkCancellation()
    let owner = "\(instance)-\(lostConnections)-\(claim.run)"
    deciding.insert(owner)
    defer { deciding.remove(owner) }
    do {
      return try await decide(claim, keys, owner)
    } catch {
      // Whether a transaction was executed may be unknown.
      Task(executorPreference: loop) { await self.clean(keys, of: owner) }
      throw error
    }
  }

  private func decide(_ claim: ClaimParams, _ keys: FleetKeys.OnceKeys, _ owner: String) async throws -> ClaimResult {
    let value = try ClaimRecord(host: host, owner: owner).json()
    // A secret output isn't recorded, so each host needs a run of its own.
    var isSecret = claim.secret
    let gets: [EtcdOperation] = [.get(keys.done), .get(keys.claim), .get(keys.failed)]
    // Whether another host has it, as far as this one knows: then a transaction that may write would only burden etcd's log.
    var isTaken = false
    var pause = Duration.milliseconds(500)
    while true {
      try Task.checkCancellation()
      guard let lease, !isEnding else {
        if let trouble = await keeper.trouble { await report(claim.run, "waits for etcd: \(trouble)") }
        try await Task.sleep(for: .milliseconds(200))
        continue
      }
      let conditions: [EtcdCondition] = [.absent(keys.claim)] + (isSecret ? [] : [.absent(keys.done)])
      let outcome: EtcdOutcome
      do throws(EtcdError) {
        outcome =
          isTaken
          ? try await etcd.transaction(if: [], then: gets)
          : try await etcd.transaction(if: conditions, then: [.put(keys.claim, value, lease: lease.id)], else: gets)
      } catch {
        await report(claim.run, "waits for etcd: \(error.words)")
        try await Task.sleep(for: pause * Double.random(in: 0.5...1))
        pause = min(pause * 2, .seconds(8))
        continue
      }
      pause = .milliseconds(500)
      try Task.checkCancellation()
      if outcome.succeeded, !isTaken {
        // The transaction may have taken a while. If the lease has ended, so has the key.
        guard let lease = try await prolonged(lease) else { continue }
        return grant(claim.run, owner, keys, outcome.revision, lease)
      }
      let done = outcome.found(0)
      let other = outcome.found(1)
      let failed = outcome.found(2)
      let holder = other.flatMap { try? RawJSON(checking: $0.value).read(ClaimRecord.self) }
      if let other, holder?.owner == owner, other.lease == lease.id {
        guard let lease = try await prolonged(lease) else { continue }
        return grant(claim.run, owner, keys, other.created, lease)
      }
      if let other, let holder, other.lease == lease.id, isAbandoned(holder, other.key) {
        // A transaction that was given up has been executed after all.
        await delete(other.key, createdAt: other.created)
        continue
      }
      if let done, !isSecret {
        let record = try DoneRecord.read(done, of: claim.initializer)
        guard record.secret else { return record.answer }
        isSecret = true
        continue
      }
      isTaken = other != nil
      guard let other else { continue }
      let failure = failed.flatMap { try? RawJSON(checking: $0.value).read(FailureRecord.self) }
      await report(claim.run, holder, failure)
      let event = await changes.change(after: outcome.revision) { event in
        if case .put(let entry) = event, entry.key == keys.claim, entry.created == other.created {
          let holder = try? RawJSON(checking: entry.value).read(ClaimRecord.self)
          Task(executorPreference: self.loop) { await self.report(claim.run, holder, failure) }
          return false
        }
        return event.key == keys.claim || event.key == keys.done
      }
      // All hosts learn of the completion at once, and needn't ask etcd.
      if case .put(let done) = event, done.key == keys.done, !isSecret {
        let record = try DoneRecord.read(done, of: claim.initializer)
        guard record.secret else { return record.answer }
        isSecret = true
      }
      if event != nil { isTaken = false }
      // Not all hosts at once.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
    }
  }

  /// Whether no run on this host has a claim that is bound to its lease.
  private func isAbandoned(_ holder: ClaimRecord, _ key: String) -> Bool {
    !deciding.contains(holder.owner) && !held.values.contains { $0.owner == holder.owner }
      && !lingering.contains(key) && !deletions.contains(key)
  }

  private func report(_ run: Int, _ message: String) async {
    // If the claim has ended, another supervisor may have a run of the same number.
    guard !Task.isCancelled else { return }
    await service?.report(ProgressParams(run: run, message: message))
  }

  /// Reports who runs the initializer, how far the run is, and how it failed before.
  private func report(_ run: Int, _ holder: ClaimRecord?, _ failure: FailureRecord?) async {
    let progress = holder?.progress.map { ": \($0)" } ?? ""
    let past = failure.map { ", after it failed on \($0.host): \($0.message)" } ?? ""
    await report(run, "runs on \(holder?.host ?? "another host")\(progress)\(past)")
  }

  /// The lease with enough time left to begin a run.
  ///
  /// Nil if it has ended.
  private func prolonged(_ lease: LeaseKeeper.Lease) async throws -> LeaseKeeper.Lease? {
    _ = await keeper.prolonged(lease.id)
    try Task.checkCancellation()
    return self.lease?.id == lease.id ? self.lease : nil
  }

  private func grant(
    _ run: Int, _ owner: String, _ keys: FleetKeys.OnceKeys, _ fence: Int, _ lease: LeaseKeeper.Lease
  ) -> ClaimResult {
    held[run] = HeldClaim(keys: keys, owner: owner, fence: fence, lease: lease.id)
    return .run(fence: fence, lease: secondsLeft(of: lease), at: loop.now.inSeconds)
  }

  /// Records a completion.
  ///
  /// - Throws: that the claim was lost, or `CancellationError`.
  func record(_ complete: CompleteParams) async throws {
    guard let own = held[complete.run] else { throw OnceError(description: "this agent doesn't have the claim") }
    do {
      try await record(complete, of: own)
      // In the meantime, another supervisor may have a run with the same number.
      if isHeld(own, by: complete.run) { held[complete.run] = nil }
    } catch {
      // For the supervisor the run has failed now, and it sends no `unclaim`.
      if !(error is CancellationError), isHeld(own, by: complete.run) { release(complete.run, failure: "\(error)") }
      throw error
    }
  }

  func isHeld(_ claim: HeldClaim, by run: Int) -> Bool { held[run]?.fence == claim.fence }

  private func record(_ complete: CompleteParams, of own: HeldClaim) async throws {
    let record = DoneRecord(
      host: host, time: WallTime.now, fence: own.fence, output: complete.output, secret: complete.secret)
    let value = try record.json()
    while true {
      try Task.checkCancellation()
      let outcome: EtcdOutcome
      do throws(EtcdError) {
        outcome = try await etcd.transaction(
          if: [.created(own.keys.claim, at: own.fence)],
          then: [.put(own.keys.done, value, lease: 0), .delete(own.keys.claim), .delete(own.keys.failed)],
          else: [.get(own.keys.done)])
      } catch {
        if case .refused = error { throw error }
        try await Task.sleep(for: .milliseconds(300))
        continue
      }
      let found = outcome.found(0).flatMap { try? RawJSON(checking: $0.value).read(DoneRecord.self) }
      // An earlier transaction of this loop may have been executed although its answer was lost.
      guard outcome.succeeded || (found?.fence == own.fence && found?.host == host) else {
        throw OnceError(description: "the claim was lost before the completion was recorded")
      }
      return
    }
  }

  /// A claim has ended: another host may have it.
  ///
  /// `delay` says how much longer the cancelled work may keep running. `failure` says why it has failed; nil if it was cancelled.
  func release(_ run: Int, after delay: Duration = .zero, failure: String? = nil) {
    guard let own = held.removeValue(forKey: run) else { return }
    let record = failure.flatMap {
      try? FailureRecord(host: host, time: WallTime.now, fence: own.fence, message: $0).json()
    }
    if delay > .zero { lingering.insert(own.keys.claim) }
    Task(executorPreference: loop) {
      try? await Task.sleep(for: delay)
      await self.delete(
        own.keys.claim, createdAt: own.fence, and: record.map { [.put(own.keys.failed, $0, lease: 0)] } ?? [])
    }
  }

  /// Deletes a key of ours, unless it is gone.
  ///
  /// Tried until etcd answers, or the lease that would delete it has ended.
  private func delete(_ key: String, createdAt revision: Int, and others: [EtcdOperation] = []) async {
    let end = loop.now + .seconds(60)
    lingering.remove(key)
    deletions.insert(key)
    defer { deletions.remove(key) }
    while loop.now < end {
      do throws(EtcdError) {
        _ = try await etcd.transaction(if: [.created(key, at: revision)], then: [.delete(key)] + others)
        return
      } catch {
        try? await Task.sleep(for: .milliseconds(300))
      }
    }
  }

  private func clean(_ keys: FleetKeys.OnceKeys, of owner: String) async {
    let end = loop.now + .seconds(60)
    while loop.now < end {
      do throws(EtcdError) {
        let found = try await etcd.transaction(if: [], then: [.get(keys.claim)]).found(0)
        let record = found.flatMap { try? RawJSON(checking: $0.value).read(ClaimRecord.self) }
        if let found, record?.owner == owner { await delete(found.key, createdAt: found.created) }
        return
      } catch {
        try? await Task.sleep(for: .milliseconds(300))
      }
    }
  }
}
