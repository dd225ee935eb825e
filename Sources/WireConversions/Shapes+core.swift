package import InitCore
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
package import InitWords

// The protocol's shapes of the machine's values (§3): pure conversions without decisions.

extension InitializationError {
  /// Converts a failure; several failures become the first one with the list of all.
  package init(_ failure: Failure) {
    self.init(
      initializer: failure.initializer, reason: Reason(failure), message: failure.description.cut())
    if case .several = failure { errors = failure.all.prefix(Self.mostErrors).map(InitializationError.init) }
  }
}

extension InitializationError.Reason {
  fileprivate init(_ failure: Failure) {
    switch failure {
    case .circularDependency(let cycle): self = .circularDependency(cycle: cycle)
    case .missingDependency(_, let dependency): self = .missingDependency(dependency: dependency)
    case .duplicateInitializer: self = .duplicateInitializer
    case .initializerFailed(_, let cause): self = .initializerFailed(cause: cause)
    case .several(let first, _): self.init(first)
    }
  }
}

extension Status.State {
  package init(_ state: PhaseState, pass: Int? = nil) {
    switch state {
    case .pending: self.init(Name.pending, pass: pass)
    case .complete: self.init(Name.complete, pass: pass)
    case .failed(let failure): self.init(Name.failed, error: InitializationError(failure), pass: pass)
    }
  }

  package init(_ phase: StateRecord.PhaseSnapshot) { self.init(phase.state, pass: phase.pass?.rawValue) }

  /// Converts how a pass ended; `nil` while it hasn't.
  package init?(_ outcome: PassStatus, pass: Int) {
    switch outcome {
    case .started: return nil
    case .complete: self.init(Name.complete, pass: pass)
    case .failed(let failure): self.init(Name.failed, error: InitializationError(failure), pass: pass)
    case .cancelled: self.init(Name.cancelled, pass: pass)
    }
  }

  /// Converts an initializer's last outcome.
  package init(_ outcome: Machine.InitializerOutcome) {
    switch outcome {
    case .complete: self.init(Name.complete)
    case .failed(let failure): self.init(Name.failed, error: InitializationError(failure))
    case .cancelled: self.init(Name.cancelled)
    }
  }
}

extension Topic {
  package init(_ aspect: StateRecord.Aspect) {
    switch aspect {
    case .launch: self = .launch
    case .active: self = .active
    case .composite: self = .composite
    case .lifecycle: self = .lifecycle
    }
  }
}

extension Status.Event.StateChange {
  package init(_ record: StateRecord, changed: [StateRecord.Aspect], fence: Int?) {
    self.init(
      changed: changed.map(Topic.init), launch: Status.State(record.launch), active: Status.State(record.active),
      composite: Status.State(record.composite), lifecycle: record.lifecycle, fence: fence)
  }
}

extension Status.Event.PassChange {
  package init(_ pass: PassID, _ phase: Phase, _ status: PassStatus) {
    let name: StatusWord =
      switch status {
      case .started: .started
      case .complete: .complete
      case .failed: .failed
      case .cancelled: .cancelled
      }
    self.init(pass: pass.rawValue, phase: phase, status: name)
  }
}

extension Initializer {
  package init(_ snapshot: InitializerSnapshot, seconds: (Instant) -> Double) {
    let run = snapshot.run
    self.init(
      name: snapshot.declaration.name, priority: snapshot.declaration.priority,
      dependencies: snapshot.declaration.dependencies, provider: snapshot.provider,
      available: snapshot.isAvailable, status: snapshot.status, isOptional: snapshot.declaration.isOptional,
      isStale: snapshot.isStale, blockedBy: snapshot.blockedBy,
      run: run?.id.rawValue, attempt: run?.attempt,
      attempts: snapshot.declaration.retry.attempts > 1 ? snapshot.declaration.retry.attempts : nil,
      nextAttempt: snapshot.nextAttempt.map(seconds), pass: run?.pass.rawValue, phase: run.map(\.phase),
      started: run.map { seconds($0.started) }, duration: run?.duration?.inSeconds,
      firstStarted: run.flatMap { $0.attempt > 1 ? seconds($0.firstStarted) : nil },
      progress: run?.progress.map { Initializer.Progress(fraction: $0.fraction, message: $0.message) },
      error: snapshot.status == .notRun ? nil : snapshot.failure.map(InitializationError.init))
    if !snapshot.declaration.after.isEmpty { after = snapshot.declaration.after }
    group = snapshot.declaration.group
    process = snapshot.declaration.process
    if snapshot.isChanged { changed = true }
    skipped = snapshot.skipReason.map { Initializer.Skip($0, snapshot.declaration.freshness) }
  }
}

extension Initializer.Skip {
  /// `freshness` is the initializer's rule for being fresh, if it has one.
  package init(_ reason: SkipReason, _ freshness: Freshness?) {
    switch reason {
    case .requested: self.init(.requested, message: "initd was started with --skip for it")
    case .condition(let reason): self.init(.condition, message: reason)
    case .fresh:
      let limit = freshness?.limit.map { "it completed less than \(Phrases.duration($0.inSeconds)) ago" }
      let isUnchanged = freshness?.inputs.isEmpty == false
      let inputs = "its inputs are the same as when it completed"
      self.init(.fresh, message: "fresh: " + (isUnchanged ? inputs : limit ?? inputs))
    case .unselected: self.init(.unselected, message: "initd was started with --only for others that don't need it")
    }
  }
}

extension OutcomeName {
  package init?(_ status: PassStatus) {
    switch status {
    case .started: return nil
    case .complete: self = .complete
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}
