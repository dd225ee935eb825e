import OrderedCollections

@testable import InitCore

extension Machine {
  /// The same machine with numbers relative to the current ones, instants relative to `now`, and without data for observers only.
  ///
  /// If this is equal for two machines, they make the same decisions from here on, except for numbers.
  func relative(to now: Instant) -> Machine {
    var copy = self
    let runNumber = Dictionary(uniqueKeysWithValues: runs.keys.sorted().enumerated().map { ($1, $0 + 1) })
    var passes = Set(runs.values.map(\.pass))
    for record in [launch, active] {
      passes.formUnion([record.number, record.pass?.number, record.next].compactMap { $0 })
    }
    let passNumber = Dictionary(uniqueKeysWithValues: passes.sorted().enumerated().map { ($1, $0 + 1) })

    copy.lastRun = runNumber.count
    copy.lastEnd = nil
    copy.lastPass = passNumber.count
    copy.ended = [:]
    copy.published = StateRecord(
      launch: .init(state: published.launch.state), active: .init(state: published.active.state),
      lifecycle: published.lifecycle)
    copy.runs = [:]
    for (number, run) in runs { copy.runs[runNumber[number]!] = run.relative(to: now, passNumber) }
    for (number, entry) in registry.entries.enumerated() {
      copy.registry.entries[number].run = nil
      copy.registry.entries[number].shown = nil
      if case .worker(let worker, let process, _) = entry.provider {
        copy.registry.entries[number].provider = .worker(worker, process: process, since: .zero)
      }
      copy.registry.entries[number].inFlight = entry.inFlight.flatMap { runNumber[$0] }
    }
    copy.deadlines = IndexedHeap()
    for (instant, deadline) in deadlines.sorted {
      switch deadline {
      case .timeout(let run): copy.deadlines[.timeout(runNumber[run] ?? -run)] = instant - now
      case .grace(let run): copy.deadlines[.grace(runNumber[run] ?? -run)] = instant - now
      case .stop(let run): copy.deadlines[.stop(run - lastRun)] = instant - now
      case .retry, .registration: copy.deadlines[deadline] = instant - now
      }
    }
    for phase in Phase.allCases {
      copy[phase].number = self[phase].number.flatMap { passNumber[$0] }
      copy[phase].lastTally = Tally()
      copy[phase].next = self[phase].next.flatMap { passNumber[$0] }
      // Any number of abandoned passes has the same effect, so one represents all.
      copy[phase].abandoned = self[phase].abandoned.isEmpty ? [] : [0]
      copy[phase].pass = self[phase].pass?.relative(passNumber, runNumber)
    }
    return copy
  }
}

extension Run {
  fileprivate func relative(to now: Instant, _ passNumber: [Int: Int]) -> Run {
    Run(
      initializer: initializer, place: place, entry: 0, pass: passNumber[pass]!, phase: phase, attempt: attempt,
      started: deadline == nil ? .zero : started - now, ready: .zero, waitedFor: [], provided: nil, freed: nil,
      attempts: 1,
      worker: worker, process: process, deadline: deadline.map { $0 - now }, state: state,
      isOfRemovedName: isOfRemovedName)
  }
}

extension Pass {
  fileprivate func relative(_ passNumber: [Int: Int], _ runNumber: [Int: Int]) -> Pass {
    var copy = Pass(number: passNumber[number]!, phase: phase, isProvisional: isProvisional, at: .zero)
    copy.stage = stage
    copy.plan = plan
    copy.failures = failures
    copy.standings = standings.map { standing in
      switch standing {
      case .running(let run): .running(runNumber[run] ?? -run)
      case .complete: .complete(at: .zero)
      case .waiting, .ready, .delayed, .failed, .blocked, .cancelled: standing
      }
    }
    copy.ready = ready
    copy.unprovided = unprovided
    copy.inFlight = inFlight
    copy.delayed = delayed
    copy.unfinished = unfinished
    copy.completed = completed.mapValues { _ in .zero }
    copy.again = again
    return copy
  }
}
