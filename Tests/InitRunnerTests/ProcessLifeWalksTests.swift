import InitCore
import InitDeclarations
import InitWords
import Testing

@testable import InitRunner

/// A naive world of one process: the facts about it, regardless of the events.
private struct NaiveProcess {
  var isAlive = false
  var isSignalled = false
  var isKilled = false
  var isProbed = false
  var hasRun = false
  var isRunCancelled = false
  /// Whether this start was ready, and a run has completed with it.
  var isReady = false
  var isUsed = false
  /// Whether a reload has prepared to halt it, and hasn't resumed it.
  var isHalted = false
  /// Whether launch is about to decide something above it.
  var isHeld = false
  var isHalting = false
  var isFinal = false
  var isStoppedByPerson = false
  var isStopRequested = false
  var isStopped = false
  var signalledAt = Duration.zero

  /// Notes an event before it is processed.
  mutating func note(_ event: ProcessLife.Event) {
    switch event {
    case .exited, .refused:
      isAlive = false
      isUsed = false
    case .becameReady: isReady = true
    case .runBegan: (hasRun, isRunCancelled) = (true, false)
    case .runCancelled, .runTimedOut: isRunCancelled = true
    case .haltPrepared: isHalted = true
    case .resumed: isHalted = false
    case .restartsEnded: isFinal = true
    case .stoppedByPerson: isStoppedByPerson = true
    case .startedByPerson: isStoppedByPerson = false
    case .stopRequested: isStopRequested = true
    case .dependenciesCompleted, .requested, .started, .timePassed, .haltRequested, .restartedByPerson,
      .becameUnhealthy:
      break
    }
  }

  /// Checks an effect, and carries it out; a start that is refused at once is an exit.
  mutating func act(_ effect: ProcessLife.Effect, at now: Duration) {
    switch effect {
    case .start:
      #expect(
        !isAlive && !isHalted && !isFinal && !isStoppedByPerson && (!isHeld || hasRun), "a start: \(self)")
      isAlive = true
      (isSignalled, isKilled, isReady, isUsed) = (false, false, false, false)
    case .signal:
      #expect(isAlive && !isSignalled && !isProbed, "a signal: \(self)")
      isSignalled = true
      signalledAt = now
    case .kill:
      #expect(isSignalled && !isKilled && now >= signalledAt + .seconds(5), "a kill: \(self)")
      isKilled = true
    case .beginProbe:
      #expect(isAlive && !isSignalled, "a probe: \(self)")
      isProbed = true
    case .endProbe: isProbed = false
    case .extendRun, .reportEnd: #expect(hasRun)
    case .endRun(let cause):
      #expect(hasRun)
      if cause == nil, !isRunCancelled, !isHalted {
        #expect(isAlive && isReady && !isUsed && !isSignalled, "a run completes: \(self)")
        isUsed = true
      }
      hasRun = false
    case .reportReady: #expect(isAlive && isReady && !hasRun, "a readiness: \(self)")
    case .reportLoss, .announceRerun, .announceRestart, .announceSurrender, .announceUnhealthyEnd: break
    case .continueReload:
      #expect(isHalting && !isAlive)
      isHalting = false
    case .continueShutdown:
      #expect(isStopRequested && !isStopped && !isAlive)
      isStopped = true
    }
  }
}

@Suite("Random lives of processes")
struct ProcessLifeWalksTests {
  @Test("Whatever happens: one process at a time, a start for each completed run, and every run and request ends")
  func walks() {
    for seed in 0..<3000 {
      var drawn = UInt64(seed) << 32
      func draw(_ count: Int) -> Int {
        drawn += 1
        return Int(SplitMix64.mix(drawn) % UInt64(count))
      }
      var life = ProcessLife(
        Restarts(
          [.never, .onFailure, .always][draw(3)],
          backoff: RetryPolicy(delay: .seconds(1), factor: 1, maxDelay: .seconds(1)), burst: 3,
          settledAfter: .seconds(10), seed: 1), grace: .seconds(5), hasReadiness: draw(3) > 0)
      var world = NaiveProcess()
      var now = Duration.zero

      func tell(_ event: ProcessLife.Event) {
        world.note(event)
        var events = [event]
        while !events.isEmpty {
          let event = events.removeFirst()
          for effect in life.apply(event, at: now) {
            world.act(effect, at: now)
            guard effect == .start else { continue }
            if draw(8) == 0 {
              let cause = Cause.notFound(message: "no such program")
              let exit = draw(2) == 0 ? ProcessLife.Event.exited(cause) : .refused(cause)
              world.note(exit)
              events.append(exit)
            } else {
              events.append(.started)
            }
          }
          world.isHalting = life.isHalting
        }
        #expect(life.isRunning == world.isAlive)
        #expect(!world.isProbed || world.isAlive)
      }

      func setHeld(_ isHeld: Bool) {
        (world.isHeld, life.isHeld) = (isHeld, isHeld)
        if !isHeld { tell(.timePassed) }
      }

      for _ in 0..<60 {
        now += .milliseconds(draw(4000))
        if draw(6) == 0 { setHeld(!world.isHeld) }
        switch draw(19) {
        case 18: if !world.isFinal { tell(.becameUnhealthy(.error(message: "unhealthy"))) }
        case 14, 15: if !world.isFinal { tell(.stoppedByPerson) }
        case 16: if !world.isFinal { tell(.startedByPerson(mayStart: !world.isHeld && !world.hasRun && draw(2) == 0)) }
        case 17: if !world.isFinal, !world.isStoppedByPerson { tell(.restartedByPerson) }
        case 0: if !world.isHeld { tell(.dependenciesCompleted) }
        case 1: tell(.requested(isNeeded: draw(2) == 0))
        case 2, 3: if world.isAlive { tell(.exited(draw(2) == 0 ? .exit(status: 0) : failure)) }
        case 4, 5: if world.isProbed { tell(.becameReady) }
        case 6, 7: if life.hasReadiness, !world.hasRun, !world.isFinal { tell(.runBegan) }
        case 8: if world.hasRun { tell(draw(2) == 0 ? .runCancelled : .runTimedOut) }
        case 9: if !world.isFinal { tell(.haltPrepared) }
        case 10: if world.isHalted, !world.isFinal { tell(.haltRequested) }
        case 11:
          // A reload continues only when no process is being halted.
          if world.isHalted, !world.isFinal, !life.isHalting {
            tell(.haltRequested)
            if !life.isHalting { tell(.resumed(mayStart: !world.isHeld && draw(2) == 0)) }
          }
        case 12: tell(.timePassed)
        default: if draw(20) == 0 { tell(.restartsEnded) }
        }
      }
      // What waits for its restart starts as soon as nothing holds it any more and its time has come.
      if case .waiting = life.state, !world.isHalted, !world.isFinal {
        let starts = life.starts
        now += .seconds(1)
        setHeld(false)
        #expect(life.starts > starts, "seed \(seed): it isn't started again: \(life)")
      }
      // The end: the shutdown cancels the run, and stops the process, which may need SIGKILL.
      tell(.restartsEnded)
      if world.hasRun { tell(.runCancelled) }
      if world.isAlive, draw(2) == 0 { tell(.exited(failure)) }
      tell(.stopRequested)
      if world.isAlive {
        now += .seconds(5)
        tell(.timePassed)
        #expect(world.isKilled)
        tell(.exited(.signal("SIGKILL")))
      }
      #expect(world.isStopped && !world.hasRun, "seed \(seed): \(world)")
    }
  }

  private let failure = Cause.exit(status: 3)
}
