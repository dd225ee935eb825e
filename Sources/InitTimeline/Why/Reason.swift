package import InitModel
internal import InitWords

/// Why an initializer has its status, other than its own work.
enum Reason: Equatable {
  /// The status explains everything: the initializer runs, has completed or failed, or is between two attempts.
  case none
  /// These dependencies haven't completed, or aren't declared.
  case dependencies([String])
  /// The phase starts after launch.
  case launch
  /// No provider can run the initializer.
  case provider
  /// These must end first: runs of the other phase, or what the initializer starts after.
  case ends([String])
  /// These initializers occupy all places (S6).
  case place([String])
  /// These initializers occupy all places of the initializer's group (S33).
  case group(String, [String])
  /// Other initializers come before this one.
  case turn
  /// The app is inactive.
  case inactive
  /// Launch has not been started.
  case notLaunched
  /// The initializer waits for the next pass.
  case nextPass(Phase)
  /// The failure of this initializer stopped it, or prevented it.
  case failure(String)
  /// This dependency isn't declared.
  case undeclared(String)
  /// The process is unhealthy since then, in seconds since the Unix epoch, because of this.
  case unhealthy(since: Double?, String)
  /// Somebody runs the process by hand, and nobody answers in its place.
  case unanswered
  /// This user has stopped the process, at this time in seconds since the Unix epoch.
  case stopped(by: String, at: Double?)
}

extension Situation {
  /// Returns why an initializer has its status.
  func reason(of each: Initializer) -> Reason {
    if !each.isSatisfied, let process = process(of: each), process.external == true { return .unanswered }
    if !each.isSatisfied, let process = process(of: each), let user = process.stoppedBy {
      return .stopped(by: user, at: process.stoppedAt)
    }
    if let process = process(of: each), process.unhealthy == true {
      return .unhealthy(since: process.unhealthySince, process.failure ?? "")
    }
    return switch each.status {
    case .known(.waiting): each.isBetweenAttempts ? .none : reasonToWait(each)
    case .known(.idle): reasonToBeIdle(each)
    case .known(.cancelled), .known(.notRun): each.blockedBy.map { .failure($0) } ?? .none
    case .known(.failed):
      if case .missingDependency(let name) = each.error?.reason, initializer(name) == nil {
        .undeclared(name)
      } else {
        .none
      }
    case .known(.running), .known(.stopping), .known(.complete), .known(.skipped), .unknown: .none
    }
  }

  private func reasonToWait(_ each: Initializer) -> Reason {
    let open = openDependencies(of: each)
    guard open.isEmpty else { return .dependencies(open) }
    let phase = phase(of: each) ?? .launch
    if phase == .active, status.launch.state != .complete { return .launch }
    let predecessors = (each.after ?? []).filter { isAhead($0, of: each) }
    if !predecessors.isEmpty { return .ends(predecessors) }
    guard each.available else { return .provider }
    let others = occupying(phase == .launch ? .active : .launch)
    if !others.isEmpty { return .ends(others) }
    let busy = occupying(phase)
    if let group = each.group, let places = status.groups?.places[group] {
      let members = busy.filter { initializer($0)?.group == group }
      if members.count >= places { return .group(group, members) }
    }
    let inSlots = busy.filter { initializer($0)?.takesSlot != false }
    if each.takesSlot, inSlots.count >= max(1, status.concurrency) { return .place(inSlots) }
    return holder(above: each).map { .dependencies([$0]) } ?? .turn
  }

  /// Whether an initializer of the same phase is still to end in its pass.
  private func isAhead(_ name: String, of other: Initializer) -> Bool {
    guard let each = initializer(name), each.priority == other.priority else { return false }
    return each.isInFlight || each.status == .waiting
  }

  private func reasonToBeIdle(_ each: Initializer) -> Reason {
    if each.skipped != nil { return .none }
    return switch phase(of: each) {
    case .active where status.lifecycle == .inactive: .inactive
    case .launch where status.launch.state == .pending && status.launch.pass == nil: .notLaunched
    case let phase?: .nextPass(phase)
    case nil: .none
    }
  }

  /// Describes an initializer in one line, without its name, status and times; empty if there is nothing to add.
  ///
  /// The text isn't escaped.
  package func detail(_ each: Initializer) -> String {
    each.detail(at: now, text(of: reason(of: each)), isUp: isUp(each))
  }

  /// Returns the status for people.
  ///
  /// A process may be up although its pass has failed before its turn: an earlier pass has started it.
  package func phrase(of each: Initializer) -> String? { isUp(each) ? "up" : each.status.known?.phrase }

  /// Whether an initializer is a process that was not run again, and is up since an earlier pass.
  private func isUp(_ each: Initializer) -> Bool {
    each.status == .notRun && process(of: each)?.pid != nil
  }

  /// Describes the reason for the tree of `why`, which also says whether an active initializer waits for launch needlessly.
  func detail(of each: Initializer, _ reason: Reason) -> String {
    each.detail(at: now, reason == .launch ? launchPhrase(of: [each.name]) : text(of: reason), isUp: isUp(each))
  }

  /// Returns the phrase for active initializers that wait for launch; it says whether launch still has to complete a direct or indirect
  /// dependency of them.
  func launchPhrase(of names: [String]) -> String {
    let text = text(of: .launch)
    guard status.launch.state == .pending, status.launch.pass != nil, !names.isEmpty else { return text }
    let left = members(of: .launch).lazy.map { self.status.initializers[$0] }.filter { !$0.isSatisfied }
    guard !left.isEmpty else { return text }
    let needed = status.dependencies(of: names)
    return left.contains { needed.contains($0.name) }
      ? text : text + ", although \(names.count == 1 ? "it depends" : "they depend") on nothing that launch still runs"
  }

  private func text(of reason: Reason) -> String {
    switch reason {
    // The shape itself tells the rest.
    case .none, .undeclared, .failure, .provider: ""
    case .dependencies(let names): "waits for \(Phrases.list(names))"
    case .launch: "waits for launch"
    case .ends(let names): "waits for the end of \(Phrases.list(names))"
    case .place(let names):
      "waits for a place: \(names.count == 1 ? "the only one is" : "all \(names.count) are") taken by \(Phrases.list(names))"
    case .group(let group, let names):
      "waits for a place in the group \(group): \(names.joined(separator: ", ")) \(names.count == 1 ? "has it" : "have them")"
    case .turn: "waits for its turn"
    case .inactive: "the app is inactive"
    case .notLaunched: "launch has not been started"
    case .unhealthy(let since, let failure): Status.Process.illnessPhrase(since: since, failure, now: now)
    case .unanswered: "is run by hand, and nobody answers"
    case .stopped(let user, let time): Status.Process.stopPhrase(user, at: time, now: now)
    case .nextPass(let phase): "it is not in a pass; the next \(phase) pass runs it"
    }
  }

  /// Returns how an initializer that its pass goes on without, or has ended without, runs again.
  private func remedyToRerun(_ each: Initializer, in phase: Phase) -> String {
    if phase == .active, status.lifecycle != .active { return "the next activation runs it again" }
    return "run it again with initctl rerun \(each.name)"
  }

  /// Returns that a late process is up again, or is about to be, and that launch is therefore retried by itself (S32); nil if it isn't.
  private func recovery(of each: Initializer, in phase: Phase) -> String? {
    guard phase == .launch, status.launch.state == .failed, each.changed != true else { return nil }
    let failed = status.initializers.filter {
      self.phase(of: $0) == .launch && $0.status == .failed && $0.optional != true
    }
    guard failed.contains(where: { $0.name == each.name }), failed.allSatisfy({ process(of: $0)?.isUpOrDue == true })
    else {
      return nil
    }
    let isUp = process(of: each)?.pid != nil
    return
      "it \(isUp ? "was" : "is about to be") started again; launch is retried by itself once \(failed.count == 1 ? "it is" : "all failed processes are") ready"
  }

  /// Returns the process whose start is this initializer.
  private func process(of each: Initializer) -> Status.Process? {
    guard each.provider == .process else { return nil }
    return status.processes?.first { $0.name == each.name }
  }

  /// Returns what to do about an initializer; nil if the user can only wait.
  func remedy(of each: Initializer, _ reason: Reason) -> String? {
    switch reason {
    case .provider:
      if let process = each.process {
        let isStopped = status.processes?.contains { $0.name == process && $0.stoppedBy != nil } == true
        return isStopped ? "initctl start \(process)" : "see initctl logs \(process)"
      }
      return each.hasLostWorker ? Phrases.remedyForLost(1) : "start the worker that registers it"
    case .inactive: return "make it active with initctl activate"
    case .notLaunched: return "start it with initctl launch"
    case .nextPass(let phase): return "start one with initctl \(phase.command)"
    case .unhealthy: return "see initctl logs \(each.name)"
    case .unanswered: return "start it by hand, or initctl start \(each.name)"
    case .stopped: return "initctl start \(each.name)"
    case .none, .dependencies, .launch, .ends, .place, .group, .turn, .failure, .undeclared: break
    }
    let phase = phase(of: each) ?? .launch
    switch (each.status, each.error?.reason) {
    case (.known(.failed), .initializerFailed(let cause)):
      let fix = each.changed == true ? "its definition has changed since then: " : "fix it, then "
      if state(of: phase).state == .complete {
        return "\(phase == .launch ? "launch" : "the active phase") is complete without it; "
          + fix + remedyToRerun(each, in: phase)
      }
      // A retry would only join the pass in flight, which goes on without it.
      if each.optional == true, state(of: phase).state == .pending, state(of: phase).pass == each.pass {
        return "\(phase == .launch ? "launch" : "the active pass") goes on without it; "
          + fix + remedyToRerun(each, in: phase)
      }
      if state(of: phase).state == .pending, state(of: phase).pass == each.pass, isInFlight(phase) {
        let fix = each.changed == true ? "its definition has changed since then" : "fix it"
        return "\(fix); once the \(phase) pass has ended, retry with initctl \(phase.command)"
      }
      if let recovery = recovery(of: each, in: phase) { return recovery }
      let isBack = cause == .workerLost && each.available
      // What an operator has cancelled has no fault.
      let isStopped = if case .operator = cause { true } else { false }
      let first = isBack ? "its worker is connected now: " : isStopped ? "" : fix
      return first + "retry with initctl \(phase.command)"
    case (.known(.failed), .circularDependency): return "remove one of these dependencies"
    case (.known(.complete), _):
      if each.stale == true { return "run it again with initctl rerun \(each.name)" }
      return each.hasLostWorker ? Phrases.remedyForLost(1) : nil
    case (.known(.running), _):
      guard let usual = usual(each), let start = each.firstStarted ?? each.started, now - start > 2 * usual + 1 else {
        return nil
      }
      return "that is longer than usual" + (each.provider == .command ? ": see initctl logs \(each.name)" : "")
    default: return nil
    }
  }
}

extension Status.Process {
  /// Whether there is a process, or its policy is about to start it.
  fileprivate var isUpOrDue: Bool { pid != nil || nextStart != nil }
}

extension Initializer {
  /// Returns the initializer's reports about itself in one line, without its name, status and times.
  ///
  /// The text isn't escaped.
  ///
  /// `now` is the current time, in seconds since the Unix epoch. `reason` says why the initializer waits, if that is known. `isUp` says
  /// that it is a process that is up since an earlier pass.
  package func detail(at now: Double, _ reason: String = "", isUp: Bool = false) -> String {
    // Without an array of parts: a Status may have thousands of initializers, most of them without a detail.
    var detail = ""
    func add(_ part: String) {
      if !part.isEmpty { detail += detail.isEmpty ? part : ", " + part }
    }
    if optional == true, status == .failed { add("optional") }
    add(attemptPhrase(at: now))
    add(reason)
    add(stopPhrase(isUp: isUp))
    add(againPhrase)
    if isInFlight, let waitsFor { add("waits for \(waitsFor)") }
    if isInFlight, let progress { add(progress.phrase) }
    if let pid { add("pid \(pid)") }
    if let ownError { add(ownError) }
    if let skipped { add(skipped.message) }
    if let unavailability { add(unavailability) }
    if status == .complete, let message = once?.message { add(message) }
    if status == .complete, run == nil { add("complete since before this supervisor started") }
    if stale == true { add(Self.stalePhrase) }
    return detail
  }

  /// The line that says that the initializer is stale.
  package static let stalePhrase = "stale: something that it depends on has run since then"

  /// The error's message after its name, because the name precedes it already, and why its command was killed.
  ///
  /// The text isn't escaped.
  package var ownError: String? {
    let own = "\(name) failed: "
    return error.map {
      let message = $0.message.hasPrefix(own) ? String($0.message.dropFirst(own.count)) : $0.message
      return message + (killed.map { "; \($0)" } ?? "")
    }
  }

  /// Why no provider can run it; nil if a provider can.
  package var unavailability: String? {
    if available { return nil }
    if hasLostWorker { return "its worker has disconnected" }
    if let process { return "the process \(process) has not registered it" }
    return provider == .worker ? "no worker provides it" : "nothing provides it"
  }

  /// Describes the attempt: `attempt 3 of 4, next in 1.3 s`.
  private func attemptPhrase(at now: Double) -> String {
    guard let attempt, attempt > 1 || isBetweenAttempts else { return "" }
    let count = "attempt \(attempt)" + (attempts.map { " of \($0)" } ?? "")
    guard isBetweenAttempts, let nextAttempt else { return count }
    return count + ", next in \(Phrases.duration(max(0, nextAttempt - now)))"
  }

  /// Why the initializer runs although an earlier supervisor has run it.
  private var againPhrase: String {
    switch status {
    case .known(.idle), .known(.waiting), .known(.running), .known(.stopping):
      again.map { "runs again because \($0.message)" } ?? ""
    case .known(.complete), .known(.failed), .known(.cancelled), .known(.notRun), .known(.skipped), .unknown: ""
    }
  }

  /// The initializer that stopped or prevented this one.
  private func stopPhrase(isUp: Bool) -> String {
    switch (status, blockedBy) {
    case (.known(.stopping), let name?): "it was told to stop because \(name) failed first"
    case (.known(.stopping), nil): "it was told to stop"
    case (.known(.cancelled), let name?): "stopped because \(name) failed first"
    case (_, let name?): "not run \(isUp ? "again " : "")because \(name) failed first"
    case (_, nil): ""
    }
  }
}

extension Phase {
  /// The command of `initctl` that starts a pass of it.
  var command: String { self == .launch ? "launch" : "activate" }
}
