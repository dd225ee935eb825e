import InitCore
import InitDeclarations
import InitWords
import Testing

@testable import InitRunner

/// A process and its life, told in order: the events, and the actions that they cause.
private struct Tale {
  var life: ProcessLife
  var now = Duration.zero

  init(_ policy: RestartPolicy = .always, hasReadiness: Bool = true, burst: Int = 3) {
    life = ProcessLife(
      Restarts(
        policy, backoff: RetryPolicy(delay: .seconds(1), factor: 2, maxDelay: .seconds(1)), burst: burst,
        settledAfter: .seconds(10), seed: 7), grace: .seconds(5), hasReadiness: hasReadiness)
  }

  mutating func tell(_ event: ProcessLife.Event, after time: Duration = .zero) -> [ProcessLife.Effect] {
    now += time
    return life.apply(event, at: now)
  }

  /// A process that a run has started, and that is ready.
  static func ready(_ policy: RestartPolicy = .always, burst: Int = 3) -> Tale {
    var tale = Tale(policy, burst: burst)
    #expect(tale.tell(.runBegan) == [.start])
    #expect(tale.tell(.started) == [.beginProbe])
    #expect(tale.tell(.becameReady) == [.endProbe, .endRun(nil)])
    return tale
  }

  /// Lets the process wait for its restart until the restart begins.
  mutating func restart() -> [ProcessLife.Effect] {
    guard let deadline = life.deadline else { return [] }
    now = deadline
    return tell(.timePassed)
  }
}

private let failed = Cause.exit(status: 3)

@Suite("The life of a process")
struct ProcessLifeTests {
  @Test("S32: it is started once its dependencies are complete, only if no run starts it")
  func gate() {
    var tale = Tale(hasReadiness: false)
    #expect(tale.life.isGated)
    #expect(tale.tell(.dependenciesCompleted) == [.start])
    #expect(tale.tell(.dependenciesCompleted) == [])
    tale = Tale()
    #expect(!tale.life.isGated)
    #expect(tale.tell(.dependenciesCompleted) == [])
  }

  @Test("S32: what a person has stopped isn't started by its policy, a request or a run, until a person starts it")
  func stoppedByPerson() {
    var tale = Tale.ready()
    #expect(tale.tell(.stoppedByPerson) == [.endProbe, .signal])
    #expect(tale.tell(.exited(.signal("SIGTERM"))) == [] && tale.life.state == .idle)
    #expect(tale.tell(.requested(isNeeded: true)) == [] && tale.tell(.dependenciesCompleted) == [])
    #expect(tale.tell(.runBegan) == [])
    #expect(tale.tell(.startedByPerson(mayStart: false)) == [.start])
    #expect(tale.tell(.started) == [.beginProbe] && tale.tell(.becameReady) == [.endProbe, .endRun(nil)])
    #expect(tale.life.starts == 2 && tale.life.requestedStarts == 1)
    tale = Tale(hasReadiness: false)
    _ = tale.tell(.stoppedByPerson)
    #expect(tale.tell(.dependenciesCompleted) == [])
    #expect(tale.tell(.startedByPerson(mayStart: true)) == [.start])
  }

  @Test("S32: a person stops what waits for its restart, and starts what was given up; its delay is short again")
  func stoppedWhileWaiting() {
    var tale = Tale.ready(burst: 2)
    #expect(tale.tell(.exited(failed)).contains(.announceRestart(after: .seconds(1))))
    #expect(tale.tell(.stoppedByPerson) == [] && tale.life.state == .idle && tale.life.deadline == nil)
    #expect(tale.tell(.startedByPerson(mayStart: true)) == [.start])
    #expect(tale.tell(.exited(failed)).contains(.announceRestart(after: .seconds(1))))
    #expect(tale.restart() == [.start])
    #expect(tale.tell(.exited(failed)).contains(.announceSurrender(ends: 2)))
    #expect(tale.tell(.startedByPerson(mayStart: true)) == [.start])
    #expect(tale.tell(.exited(failed)).contains(.announceRestart(after: .seconds(1))))
  }

  @Test("S32: what is started while it still stops is started after its exit, and a start that is stopped isn't")
  func startedWhileStopping() {
    var tale = Tale.ready()
    _ = tale.tell(.stoppedByPerson)
    #expect(tale.tell(.startedByPerson(mayStart: true)) == [])
    #expect(tale.tell(.exited(failed)) == [.start])
    _ = tale.tell(.stoppedByPerson)
    _ = tale.tell(.startedByPerson(mayStart: true))
    _ = tale.tell(.stoppedByPerson)
    #expect(tale.tell(.exited(failed)) == [])
  }

  @Test("S30, S32: a restart by a person waits after the exit until launch has decided what is above it")
  func restartedWhileHeld() {
    var tale = Tale.ready()
    #expect(tale.tell(.restartedByPerson) == [.endProbe, .signal])
    tale.life.isHeld = true
    #expect(tale.tell(.exited(failed)) == [])
    tale.life.isHeld = false
    #expect(tale.tell(.timePassed) == [.start])
  }

  @Test("S24, S27: a reload and the shutdown leave a process stopped that a person has stopped")
  func stoppedOverReload() {
    var tale = Tale.ready()
    _ = tale.tell(.stoppedByPerson)
    _ = tale.tell(.haltPrepared)
    #expect(tale.tell(.haltRequested) == [])
    #expect(tale.tell(.exited(failed)) == [.continueReload])
    #expect(tale.tell(.resumed(mayStart: true)) == [])
    _ = tale.tell(.restartsEnded)
    #expect(tale.tell(.stopRequested) == [.continueShutdown])
  }

  @Test("S32: a run starts it, and ends when it is ready; the next time it is known to be ready changes nothing")
  func run() {
    var tale = Tale()
    #expect(tale.tell(.runBegan) == [.start])
    #expect(tale.life.isStarting && tale.life.standing == .alive)
    #expect(tale.tell(.started) == [.beginProbe])
    #expect(tale.tell(.becameReady) == [.endProbe, .endRun(nil)])
    #expect(tale.life.isReady && !tale.life.isStarting)
    #expect(tale.tell(.becameReady) == [])
  }

  @Test("It is restarted as its policy says, after a delay that a request ends")
  func policies() {
    for (policy, cause, isAgain) in [
      (RestartPolicy.never, failed, false), (.onFailure, failed, true), (.always, failed, true),
      (.never, .exit(status: 0), false), (.onFailure, .exit(status: 0), false), (.always, .exit(status: 0), true),
      (.onFailure, .signal("SIGKILL"), true), (.onFailure, .notFound(message: "no such program"), true),
    ] {
      var tale = Tale(policy, hasReadiness: false)
      _ = tale.tell(.dependenciesCompleted)
      let effects = tale.tell(.exited(cause), after: .seconds(1))
      #expect(tale.life.lastExit == cause)
      guard isAgain else {
        #expect(effects == [.endProbe])
        let last = cause == .exit(status: 0) ? .error(message: "its process has ended with exit status 0") : cause
        #expect(tale.life.standing == .ended(last))
        #expect(tale.life.deadline == nil)
        #expect(tale.tell(.requested(isNeeded: false)) == [])
        #expect(tale.tell(.requested(isNeeded: true)) == [.start])
        continue
      }
      guard case .waiting(let until) = tale.life.state else { return #expect(Bool(false), "\(tale.life.state)") }
      #expect(effects == [.endProbe, .announceRestart(after: until - tale.now)])
      #expect(tale.life.standing == .alive)
      #expect(tale.tell(.timePassed) == [], "it isn't time")
      var other = tale
      #expect(other.tell(.requested(isNeeded: false)) == [.start])
      #expect(tale.restart() == [.start])
      #expect(tale.life.starts == 2)
    }
  }

  @Test("If it exits too soon too often, it is given up, until a request")
  func givenUp() {
    var tale = Tale(hasReadiness: false, burst: 2)
    _ = tale.tell(.dependenciesCompleted)
    _ = tale.tell(.exited(failed))
    #expect(tale.restart() == [.start])
    #expect(tale.tell(.exited(failed)) == [.endProbe, .announceSurrender(ends: 2)])
    #expect(tale.life.standing == .ended(failed))
    #expect(tale.tell(.requested(isNeeded: false)) == [.start])
    _ = tale.tell(.exited(failed))
    #expect(tale.life.deadline != nil, "earlier exits are forgotten")
  }

  @Test("S35: without a value that it needs, it is given up at once, until a request or its next run")
  func refused() {
    let cause = Cause.error(message: "pick-port has no output")
    var tale = Tale()
    _ = tale.tell(.runBegan)
    #expect(tale.tell(.refused(cause)) == [.endRun(cause)])
    #expect(tale.life.standing == .ended(cause) && tale.life.deadline == nil)
    #expect(tale.tell(.runBegan) == [.start])
    var plain = Tale(hasReadiness: false)
    _ = plain.tell(.dependenciesCompleted)
    #expect(plain.tell(.refused(cause)) == [])
    var other = plain
    #expect(plain.tell(.requested(isNeeded: false)) == [.start])
    #expect(other.tell(.dependenciesCompleted) == [.start], "a dependency has run again")
  }

  @Test("The time in which a client in it waits for initializers isn't time at work")
  func lifetime() {
    var tale = Tale(hasReadiness: false, burst: 1)
    _ = tale.tell(.dependenciesCompleted)
    tale.life.beginWait(1, at: tale.now)
    #expect(tale.tell(.exited(failed), after: .seconds(11)) == [.endProbe, .announceSurrender(ends: 1)])
  }

  @Test("S32: if it ends before it is ready, the run goes on with its restart, and fails once it has ended for good")
  func endsEarly() {
    var tale = Tale(burst: 2)
    _ = tale.tell(.runBegan)
    _ = tale.tell(.started)
    #expect(tale.tell(.exited(failed)).suffix(1) == [.reportEnd])
    #expect(tale.restart() == [.start])
    #expect(tale.tell(.started) == [.beginProbe])
    #expect(tale.tell(.exited(failed)) == [.endProbe, .announceSurrender(ends: 2), .endRun(failed)])
    #expect(tale.tell(.requested(isNeeded: true)) == [], "its next run starts it")
    #expect(tale.tell(.runBegan) == [.start])
  }

  @Test("S32: if it ends after it was ready, the machine is told, and its next run waits for its restart")
  func loss() {
    var tale = Tale.ready()
    let effects = tale.tell(.exited(failed), after: .seconds(20))
    #expect(effects.first == .endProbe && effects.last == .reportLoss)
    #expect(tale.tell(.runBegan) == [])
    #expect(tale.restart() == [.start])
    #expect(tale.tell(.started) == [.beginProbe])
    #expect(tale.tell(.becameReady) == [.endProbe, .endRun(nil)])
    #expect(tale.life.starts == 2)
  }

  @Test("S26, S32: a run after its restart only waits until it is ready, even if that is known before the run begins")
  func restartedBefore() {
    for isKnown in [false, true] {
      var tale = Tale.ready()
      _ = tale.tell(.exited(failed))
      #expect(tale.restart() == [.start])
      #expect(tale.tell(.started) == [.beginProbe])
      if isKnown { #expect(tale.tell(.becameReady) == [.endProbe, .reportReady]) }
      #expect(tale.tell(.runBegan) == (isKnown ? [.endRun(nil)] : [.beginProbe]))
    }
  }

  @Test("S32: if it has ended for good after it was ready, the next run fails, and the one after that starts it")
  func lostForGood() {
    var tale = Tale.ready(.never)
    #expect(tale.tell(.exited(failed)) == [.endProbe, .reportLoss])
    #expect(tale.tell(.runBegan) == [.endRun(failed)])
    #expect(tale.tell(.runBegan) == [.start])
  }

  @Test("S26: a run after another one with the same start restarts it; the time until it exits doesn't count")
  func rerun() {
    var tale = Tale.ready()
    #expect(tale.tell(.runBegan) == [.announceRerun, .extendRun(by: .seconds(5)), .endProbe, .signal])
    #expect(!tale.life.isStarting && !tale.life.isReady)
    #expect(tale.tell(.exited(.signal("SIGTERM"))) == [.extendRun(by: .zero), .start])
    #expect(tale.life.lastExit == nil, "it is no trouble")
    #expect(tale.life.isStarting)
    #expect(tale.tell(.started) == [.beginProbe])
    #expect(tale.tell(.becameReady) == [.endProbe, .endRun(nil)])
    #expect(tale.tell(.runBegan).last == .signal, "and so does the next one")
  }

  @Test("S26: a rerun forgets earlier exits")
  func rerunForgives() {
    var tale = Tale.ready(burst: 2)
    _ = tale.tell(.exited(failed))
    _ = tale.tell(.runBegan)
    _ = tale.restart()
    _ = tale.tell(.started)
    _ = tale.tell(.becameReady)
    _ = tale.tell(.runBegan)
    _ = tale.tell(.exited(failed))
    #expect(tale.tell(.exited(failed)).contains(.reportEnd), "it is restarted")
  }

  @Test("S13: a process that doesn't exit in time is killed, once")
  func escalation() {
    var tale = Tale.ready()
    _ = tale.tell(.runBegan)
    #expect(tale.life.deadline == .seconds(5))
    #expect(tale.tell(.timePassed, after: .seconds(4)) == [])
    #expect(tale.tell(.timePassed, after: .seconds(1)) == [.kill])
    #expect(tale.life.deadline == nil)
    #expect(tale.tell(.timePassed, after: .seconds(9)) == [])
    #expect(tale.tell(.exited(.signal("SIGKILL"))).last == .start)
  }

  @Test("S32: if the run is cancelled, the process is stopped, and the run ends when it has exited")
  func cancelled() {
    var tale = Tale()
    _ = tale.tell(.runBegan)
    _ = tale.tell(.started)
    #expect(tale.tell(.runCancelled) == [.endProbe, .signal])
    #expect(tale.tell(.runCancelled) == [])
    #expect(tale.tell(.exited(failed)) == [.endRun(nil)])
    #expect(tale.life.state == .idle && tale.life.standing == .idle)
    #expect(tale.tell(.runBegan) == [.start])
    // While it waits for its restart, or without a process, the run ends at once.
    _ = tale.tell(.exited(failed))
    #expect(tale.tell(.runCancelled) == [.endRun(nil)])
    #expect(tale.life.state == .idle && tale.life.deadline == nil)
    #expect(tale.tell(.runCancelled) == [])
  }

  @Test("S26: a rerun that is cancelled while the process stops doesn't start it again")
  func rerunCancelled() {
    var tale = Tale.ready()
    _ = tale.tell(.runBegan)
    #expect(tale.tell(.runCancelled) == [])
    #expect(tale.tell(.exited(failed)) == [.endRun(nil)])
  }

  @Test("S27: a reload halts it, and starts it again without a run if it was up and may start")
  func reload() {
    for mayStart in [true, false] {
      var tale = Tale.ready()
      #expect(tale.tell(.haltPrepared) == [])
      #expect(tale.tell(.requested(isNeeded: true)) == [])
      #expect(tale.tell(.haltRequested) == [.reportLoss, .endProbe, .signal])
      #expect(tale.life.isHalting)
      #expect(tale.tell(.exited(failed)) == [.continueReload])
      #expect(tale.life.lastExit == nil, "it is no trouble")
      #expect(tale.tell(.haltRequested) == [], "it is halted")
      #expect(tale.tell(.resumed(mayStart: mayStart)) == (mayStart ? [.start] : []))
      #expect(!tale.life.isResumable)
      #expect(tale.tell(mayStart ? .started : .runBegan) == (mayStart ? [.beginProbe] : [.start]))
      if mayStart { #expect(tale.tell(.runBegan) == [.beginProbe], "it isn't restarted a second time") }
    }
  }

  @Test("S27: one without a run waits for its dependencies again; one that wasn't up is started only by its run")
  func reloadOfOthers() {
    var tale = Tale(hasReadiness: false)
    _ = tale.tell(.haltPrepared)
    #expect(tale.tell(.dependenciesCompleted) == [])
    #expect(tale.tell(.haltRequested) == [])
    #expect(tale.tell(.resumed(mayStart: true)) == [])
    #expect(tale.tell(.dependenciesCompleted) == [.start])
    tale = Tale()
    _ = tale.tell(.haltPrepared)
    _ = tale.tell(.haltRequested)
    #expect(tale.tell(.resumed(mayStart: true)) == [])
  }

  @Test("S27: a run of the old definition ends when the process has halted; one of the new waits until it is resumed")
  func reloadOfRuns() {
    var tale = Tale()
    _ = tale.tell(.runBegan)
    _ = tale.tell(.started)
    _ = tale.tell(.haltPrepared)
    #expect(!tale.life.isStarting || tale.life.state == .running)
    #expect(tale.tell(.haltRequested) == [.endProbe, .signal])
    #expect(tale.tell(.runCancelled) == [])
    #expect(tale.tell(.exited(failed)) == [.endRun(nil), .continueReload])
    #expect(tale.tell(.runBegan) == [])
    #expect(tale.tell(.resumed(mayStart: false)) == [.start])
    // The process that is about to be halted isn't that of a run that begins now.
    tale = .ready()
    _ = tale.tell(.haltPrepared)
    #expect(tale.tell(.runBegan) == [])
    #expect(tale.tell(.runCancelled) == [.endRun(nil)])
  }

  @Test("S27: what exits, or waits for its restart, while a reload is about to halt it isn't restarted before")
  func reloadOfEnded() {
    var tale = Tale.ready()
    _ = tale.tell(.haltPrepared)
    #expect(tale.tell(.exited(failed)) == [.endProbe, .reportLoss])
    #expect(tale.life.deadline == nil)
    #expect(tale.tell(.haltRequested) == [])
    #expect(tale.tell(.resumed(mayStart: true)) == [.start])
    _ = tale.tell(.exited(failed))
    _ = tale.tell(.haltPrepared)
    #expect(tale.life.deadline == nil)
    #expect(tale.tell(.timePassed, after: .seconds(60)) == [])
  }

  @Test("S26, S27: a reload during a rerun ends the run, and starts the new definition")
  func reloadOfRerun() {
    var tale = Tale.ready()
    _ = tale.tell(.runBegan)
    _ = tale.tell(.haltPrepared)
    #expect(tale.tell(.haltRequested) == [])
    #expect(tale.tell(.exited(failed)) == [.endRun(nil), .continueReload])
    #expect(tale.tell(.resumed(mayStart: true)) == [.start])
    // Even if the process has exited before its turn to halt has come.
    tale = .ready()
    _ = tale.tell(.runBegan)
    _ = tale.tell(.haltPrepared)
    #expect(tale.tell(.exited(failed)) == [])
    #expect(tale.tell(.haltRequested) == [.endRun(nil)])
  }

  @Test("S24: the shutdown stops it, and it isn't started any more")
  func shutdown() {
    var tale = Tale.ready()
    _ = tale.tell(.restartsEnded)
    #expect(tale.tell(.stopRequested) == [.endProbe, .signal])
    #expect(tale.life.standing == .idle && !tale.life.isStopped)
    #expect(tale.tell(.exited(failed)) == [.continueShutdown])
    #expect(tale.life.isStopped && tale.life.standing == .idle)
    // A process that waits for its restart, or exits without a request, isn't started.
    tale = .ready()
    _ = tale.tell(.exited(failed))
    _ = tale.tell(.restartsEnded)
    #expect(tale.life.deadline == nil)
    #expect(tale.tell(.requested(isNeeded: true)) == [])
    #expect(tale.tell(.stopRequested) == [.continueShutdown])
    tale = .ready()
    _ = tale.tell(.restartsEnded)
    #expect(tale.tell(.exited(failed)) == [.endProbe])
    #expect(tale.life.state == .ended)
  }

  @Test(
    "S15, S32: a start that takes too long is an exit with failure, whatever its status: the policy decides what follows"
  )
  func timedOut() {
    for (policy, isAgain) in [(RestartPolicy.always, true), (.onFailure, true), (.never, false)] {
      var tale = Tale(policy)
      _ = tale.tell(.runBegan)
      _ = tale.tell(.started)
      #expect(tale.tell(.runTimedOut) == [.endProbe, .signal])
      let effects = tale.tell(.exited(.exit(status: 0)))
      #expect(effects.first == .endRun(nil))
      #expect((effects.count == 2) == isAgain && (tale.life.deadline != nil) == isAgain)
      guard isAgain else {
        #expect(tale.life.state == .ended)
        continue
      }
      // No run waits for this start, and the machine is told when it is ready.
      #expect(tale.restart() == [.start])
      #expect(tale.tell(.started) == [.beginProbe])
      #expect(tale.tell(.becameReady) == [.endProbe, .reportReady])
      #expect(tale.tell(.runBegan) == [.endRun(nil)])
    }
  }

  @Test("S15, S32: a run that begins while a late process comes up by its policy leaves it all the time that it needs")
  func lateAndJoined() {
    var tale = Tale()
    _ = tale.tell(.runBegan)
    _ = tale.tell(.started)
    _ = tale.tell(.runTimedOut)
    _ = tale.tell(.exited(failed))
    #expect(tale.restart() == [.start])
    _ = tale.tell(.started)
    #expect(tale.tell(.runBegan) == [.beginProbe, .extendRun(by: .seconds(100_000_000))])
    #expect(tale.tell(.becameReady) == [.endProbe, .endRun(nil)])
  }

  @Test("S30: a request for a process that was given up isn't lost while something holds it")
  func heldRequest() {
    var tale = Tale(hasReadiness: false, burst: 1)
    _ = tale.tell(.dependenciesCompleted)
    _ = tale.tell(.exited(failed))
    tale.life.isHeld = true
    #expect(tale.tell(.requested(isNeeded: true)) == [])
    tale.life.isHeld = false
    #expect(tale.tell(.timePassed) == [.start])
  }

  @Test("S15, S32: a run that times out while its process waits for its restart leaves it waiting")
  func timedOutBetween() {
    var tale = Tale()
    _ = tale.tell(.runBegan)
    _ = tale.tell(.started)
    _ = tale.tell(.exited(failed))
    let deadline = tale.life.deadline
    #expect(tale.tell(.runTimedOut) == [.endRun(nil)])
    #expect(deadline != nil && tale.life.deadline == deadline)
  }

  @Test("S30: while launch decides something above it, it isn't started by itself or by a request, only by a run")
  func held() {
    for isRun in [true, false] {
      var tale = Tale.ready()
      tale.life.isHeld = true
      _ = tale.tell(.exited(failed))
      #expect(tale.life.deadline == nil)
      #expect(tale.tell(.timePassed, after: .seconds(60)) == [])
      #expect(tale.tell(.requested(isNeeded: true)) == [])
      // The request counts once nothing holds it any more.
      if isRun { #expect(tale.tell(.runBegan) == []) } else { tale.life.isHeld = false }
      #expect(tale.tell(.timePassed) == [.start])
    }
  }

  @Test("After its exit, its run ends, then the reload goes on, and then the shutdown")
  func order() {
    var tale = Tale()
    _ = tale.tell(.runBegan)
    _ = tale.tell(.started)
    _ = tale.tell(.restartsEnded)
    #expect(tale.tell(.stopRequested) == [.endProbe, .signal])
    _ = tale.tell(.haltPrepared)
    #expect(tale.tell(.haltRequested) == [])
    #expect(tale.tell(.runCancelled) == [])
    #expect(tale.tell(.exited(failed)) == [.endRun(nil), .continueReload, .continueShutdown])
    #expect(tale.life.state == .ended)
  }
}
