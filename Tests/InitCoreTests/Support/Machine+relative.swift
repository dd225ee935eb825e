import InitWords
import OrderedCollections

@testable import InitCore

extension Machine {
  /// Returns the same machine with numbers relative to the current ones, instants relative to `now`, and without data for observers only.
  ///
  /// If this is equal for two machines, they make the same decisions from here on, except for numbers.
  func relative(to now: Instant) -> Machine {
    var copy = self
    let runNumber = Dictionary(uniqueKeysWithValues: runs.keys.sorted().enumerated().map { ($1, RunID($0 + 1)) })
    var passes = Set(runs.values.map(\.pass))
    for record in [launch, active] {
      passes.formUnion([record.newest, record.pass?.id, record.next].compactMap { $0 })
    }
    let passNumber = Dictionary(uniqueKeysWithValues: passes.sorted().enumerated().map { ($1, PassID($0 + 1)) })

    copy.lastRun = RunID(runNumber.count)
    copy.lastEnd = nil
    copy.lastEnds = [:]
    copy.lastCheck = 0
    copy.lastPass = PassID(passNumber.count)
    copy.ended = [:]
    copy.published = StateRecord(
      launch: .init(state: published.launch.state), active: .init(state: published.active.state),
      lifecycle: published.lifecycle, hasActivePhase: published.hasActivePhase)
    copy.runs = [:]
    for (number, run) in runs { copy.runs[runNumber[number]!] = run.relative(to: now, passNumber) }
    for index in registry.indexes {
      let entry = registry[index]
      copy.registry[index].run = nil
      copy.registry[index].shown = nil
      if case .worker(let worker, let process, _) = entry.provider {
        copy.registry[index].provider = .worker(worker, process: process, since: .zero)
      }
      copy.registry[index].inFlight = entry.inFlight.flatMap { runNumber[$0] }
    }
    copy.deadlines = IndexedHeap()
    for (instant, deadline) in deadlines.sorted {
      switch deadline {
      case .timeout(let run): copy.deadlines[.timeout(runNumber[run] ?? former(run))] = instant - now
      case .grace(let run): copy.deadlines[.grace(runNumber[run] ?? former(run))] = instant - now
      case .stop(let run): copy.deadlines[.stop(RunID(run.rawValue - lastRun.rawValue))] = instant - now
      case .retry, .registration, .process: copy.deadlines[deadline] = instant - now
      }
    }
    for phase in Phase.allCases {
      copy[phase].newest = self[phase].newest.flatMap { passNumber[$0] }
      copy[phase].lastTally = Tally()
      copy[phase].entry = nil
      copy[phase].isNextEntry = self[phase].next == nil || self[phase].isNextEntry
      copy[phase].next = self[phase].next.flatMap { passNumber[$0] }
      // Any number of abandoned passes has the same effect, so one represents all.
      copy[phase].abandoned = self[phase].abandoned.isEmpty ? [] : [0]
      copy[phase].pass = self[phase].pass?.relative(passNumber, runNumber)
    }
    return copy
  }
}

extension Run {
  fileprivate func relative(to now: Instant, _ passNumber: [PassID: PassID]) -> Run {
    Run(
      initializer: initializer, index: index, entry: 0, pass: passNumber[pass]!, phase: phase, attempt: attempt,
      started: deadline == nil ? .zero : started - now, ready: .zero, waitedFor: [], provided: nil, freed: nil,
      attempts: 1, group: group, takesSlot: takesSlot,
      worker: worker, process: process, deadline: deadline.map { $0 - now }, state: state,
      cancelledBy: cancelledBy, isOfRemovedName: isOfRemovedName)
  }
}

extension Pass {
  fileprivate func relative(_ passNumber: [PassID: PassID], _ runNumber: [RunID: RunID]) -> Pass {
    var copy = Pass(passNumber[id]!, phase: phase, isProvisional: isProvisional, at: .zero)
    copy.stage = stage
    copy.plan = plan
    copy.failures = failures
    copy.recordedFailures = recordedFailures
    copy.held = held
    copy.asked = Dictionary(uniqueKeysWithValues: asked.map { ($1.rawValue, $1) })
    copy.admitted = admitted
    copy.fingerprints = fingerprints
    copy.standings = standings.map { standing in
      switch standing {
      case .running(let run): .running(runNumber[run] ?? former(run))
      case .complete: .complete(at: .zero)
      case .asking: .asking(0)
      case .waiting, .ready, .delayed, .failed, .blocked, .cancelled: standing
      }
    }
    copy.ready = ready
    copy.unprovided = unprovided
    copy.bound = bound
    copy.inFlight = inFlight
    copy.delayed = delayed
    copy.unfinished = unfinished
    copy.completed = completed.mapValues { _ in .zero }
    copy.again = again
    copy.renewed = renewed
    return copy
  }
}

/// Returns the number of a run that has ended; it differs from those in flight.
private func former(_ run: RunID) -> RunID { RunID(-run.rawValue) }

extension Machine {
  /// Returns the names that a connected worker provides, in the order of registration.
  func names(providedBy worker: WorkerID) -> [String] {
    (provided[worker] ?? []).sorted { (registry.index(of: $0) ?? 0) < (registry.index(of: $1) ?? 0) }
  }
}
