import InitHistory
import InitModel
import InitWire
import InitWords
import Platform
import Testing
import WireConversions

@testable import InitCore
@testable import InitRecords
@testable import InitTimeline

@Suite("Shapes of the machine's values")
struct ShapesCoreTests {
  let clock = WallClock(now: .zero)

  @Test("The words are those of the protocol (§3, §6)")
  func words() {
    #expect(
      StateRecord.Aspect.allCases.map { Topic($0).rawValue } == ["launch", "active", "composite", "lifecycle"])
  }

  @Test("Each cause and each failure has its shape (§3)")
  func failures() {
    let causes: [Cause] = [
      .error(message: "m"), .exit(status: 3), .signal("SIGKILL"), .timeout(after: .milliseconds(1500)), .workerLost,
      .notFound(message: "n"),
    ]
    for cause in causes {
      let failure = InitializationError(.initializerFailed("a", cause))
      #expect(failure.reason == .initializerFailed(cause: cause) && failure.initializer == "a")
      #expect(failure.message == "\(Failure.initializerFailed("a", cause))")
    }
    #expect(
      InitializationError(.circularDependency(["a", "b", "a"])).reason == .circularDependency(cycle: ["a", "b", "a"]))
    #expect(InitializationError(.circularDependency(["a", "b", "a"])).initializer == "a")
    let missing = InitializationError(.missingDependency(initializer: "a", dependency: "b"))
    #expect(missing.reason == .missingDependency(dependency: "b") && missing.initializer == "a")
    #expect(InitializationError(.duplicateInitializer("a")).reason == .duplicateInitializer)
  }

  @Test("A state has its pass; a running pass has no outcome (§3, §4)")
  func states() {
    let failure = Failure.duplicateInitializer("a")
    #expect(Status.State(StateRecord.PhaseSnapshot(state: .pending, pass: nil)) == Status.State(.pending))
    #expect(Status.State(StateRecord.PhaseSnapshot(state: .complete, pass: 4)) == Status.State(.complete, pass: 4))
    #expect(Status.State(PhaseState.failed(failure)) == Status.State(.failed, error: InitializationError(failure)))
    #expect(Status.State(PassStatus.started, pass: 1) == nil)
    #expect(Status.State(PassStatus.cancelled, pass: 1) == Status.State(.cancelled, pass: 1))
    #expect(
      Status.State(PassStatus.failed(failure), pass: 1)
        == Status.State(.failed, error: InitializationError(failure), pass: 1))
    #expect(OutcomeName(PassStatus.started) == nil)
    #expect(OutcomeName(PassStatus.complete) == .complete)
    #expect(OutcomeName(RunRecord.Outcome.failed(.workerLost)) == .failed)
    #expect(Status.State(Machine.InitializerOutcome.cancelled) == Status.State(.cancelled))
  }

  @Test("A state event lists the changes in the protocol's order, and has all states (§5)")
  func stateEvent() {
    let record = StateRecord(
      launch: .init(state: .complete, pass: 1), active: .init(state: .pending, pass: 2), lifecycle: .active)
    let earlier = StateRecord(
      launch: .init(state: .pending, pass: 1), active: .init(state: .pending, pass: 2), lifecycle: .inactive)
    let event = Status.Event.StateChange(record, changed: record.changes(since: earlier), fence: 7)
    #expect(event.changed == [.known(.launch), .known(.lifecycle)])
    #expect(event.launch == Status.State(.complete, pass: 1) && event.active == Status.State(.pending, pass: 2))
    #expect(event.composite == Status.State(.pending) && event.lifecycle == .active && event.fence == 7)
  }

  @Test("An initializer that never ran has no members of a run; one that ran shows its last run (§3)")
  func initializer() {
    let declaration = Declaration("a", priority: .appActive, dependencies: ["b"])
    let snapshot = InitializerSnapshot(declaration: declaration, provider: .worker, isAvailable: false, status: .idle)
    let bare = Initializer(snapshot, seconds: clock.seconds)
    #expect(
      (bare.name, bare.priority, bare.dependencies, bare.provider) == ("a", .known(.appActive), ["b"], .known(.worker)))
    #expect((bare.available, bare.status) == (false, .known(.idle)))
    #expect(bare.run == nil && bare.attempt == nil && bare.pass == nil && bare.phase == nil && bare.started == nil)
    #expect(bare.duration == nil && bare.progress == nil && bare.error == nil && bare.blockedBy == nil)

    let failure = Failure.initializerFailed("a", .exit(status: 1))
    let run = RunSnapshot(
      id: 7, attempt: 2, pass: 3, phase: .active, started: .seconds(5), firstStarted: .seconds(4),
      duration: .milliseconds(250),
      progress: RunProgress(fraction: 0.5, message: "m"))
    let failed = InitializerSnapshot(
      declaration: declaration, provider: .worker, isAvailable: false, status: .failed, run: run, failure: failure)
    let full = Initializer(failed, seconds: clock.seconds)
    #expect((full.run, full.attempt, full.pass, full.phase) == (7, 2, 3, .known(.active)))
    #expect((full.started, full.duration) == (clock.seconds(at: .seconds(5)), 0.25))
    #expect(full.firstStarted == clock.seconds(at: .seconds(4)) && full.nextAttempt == nil)
    #expect(
      full.progress == Initializer.Progress(fraction: 0.5, message: "m") && full.error == InitializationError(failure))
  }

  @Test("An initializer whose turn never came shows the one that failed, not an error of its own (S2)")
  func notRun() {
    let snapshot = InitializerSnapshot(
      declaration: Declaration("a"), provider: .command, isAvailable: true, status: .notRun, blockedBy: "b",
      failure: .initializerFailed("b", .workerLost))
    let shape = Initializer(snapshot, seconds: clock.seconds)
    #expect(shape.blockedBy == "b" && shape.error == nil)
  }

  @Test("A pass of the history has its runs (§4)")
  func history() {
    var history = History()
    history.record(.pass(3, phase: .launch, .started), at: .seconds(1))
    history.record(cpu: .milliseconds(125), ofRun: 7)
    let run = RunRecord(
      run: 7, initializer: "a", attempt: 2, pass: 3, phase: .launch, ready: .seconds(2), started: .seconds(3),
      duration: .milliseconds(500), outcome: .cancelled, waitedFor: ["b"], provided: .seconds(1),
      freed: RunEnd("b", at: .seconds(2)), attempts: 3)
    history.record(.runEnded(run), at: .seconds(4))
    history.record(.pass(3, phase: .launch, .cancelled), at: .seconds(4))
    let shape = Pass(
      history.passes(last: 1)[0], running: [], concurrency: 4, polls: ["a": 0.5, "b": 9], clock: clock)
    #expect(shape.opened == nil && shape.concurrency == 4 && shape.error == nil)
    #expect((shape.pass, shape.phase, shape.outcome, shape.duration) == (3, .known(.launch), .known(.cancelled), 3))
    #expect(shape.started == clock.seconds(at: .seconds(1)))
    #expect(
      shape.runs == [
        Pass.Run(
          run: 7, initializer: "a", attempt: 2, attempts: 3, ready: clock.seconds(at: .seconds(2)),
          provided: clock.seconds(at: .seconds(1)), freedBy: "b", freed: clock.seconds(at: .seconds(2)),
          started: clock.seconds(at: .seconds(3)), duration: 0.5, cpu: 0.125, polls: 0.5,
          outcome: .cancelled, waitedFor: ["b"])
      ])
  }
}
