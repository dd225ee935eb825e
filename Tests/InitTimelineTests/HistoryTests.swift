import InitWords
import Testing

@testable import InitCore
@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

private func run(_ number: RunID, pass: PassID, _ name: String = "a") -> Notice {
  .runEnded(
    RunRecord(
      run: number, initializer: name, attempt: 1, pass: pass, phase: .launch, ready: .zero, started: .zero,
      duration: .zero, outcome: .complete, waitedFor: []))
}

extension History {
  /// A pass with this many runs, numbered from 100 times its own number.
  fileprivate mutating func recordPass(_ number: PassID, runs: Int = 0, from start: Int = 0, to end: Int = 0) {
    record(.pass(number, phase: .active, .started), at: .seconds(start))
    for index in 0..<runs { record(run(RunID(number.rawValue * 100 + index), pass: number), at: .seconds(end)) }
    record(.pass(number, phase: .active, .complete), at: .seconds(end))
  }

  fileprivate var numbers: [PassID] { passes(last: .max).map(\.id) }
}

@Suite("History")
struct HistoryTests {
  @Test("A pass is recorded with its phase, start, duration and outcome once it has ended, and not before")
  func onePass() {
    var history = History()
    let failure = Failure.initializerFailed("a", .exit(status: 1))
    history.record(.pass(4, phase: .launch, .started), at: .seconds(2))
    #expect(history.passes(last: 1).isEmpty)
    history.record(.pass(4, phase: .launch, .failed(failure)), at: .seconds(5))
    #expect(
      history.passes(last: 1) == [
        History.PassRecord(
          id: 4, phase: .launch, started: .seconds(2), ended: .seconds(5), outcome: .failed(failure))
      ])
  }

  @Test("Runs belong to their own pass in the order of their ends, even if two passes are active")
  func runsOfPasses() {
    var history = History()
    history.record(.pass(1, phase: .launch, .started), at: .zero)
    history.record(.pass(2, phase: .active, .started), at: .zero)
    for (number, pass) in [(2, 1), (1, 1), (5, 2), (3, 1), (4, 2)] as [(RunID, PassID)] {
      history.record(run(number, pass: pass), at: .zero)
    }
    history.record(.pass(1, phase: .launch, .complete), at: .seconds(1))
    history.record(.pass(2, phase: .active, .cancelled), at: .seconds(1))
    #expect(history.passes(last: 2).map { $0.runs.map(\.run) } == [[2, 1, 3], [5, 4]])
  }

  @Test("The CPU time of a run is recorded when it ends, and only for runs of passes")
  func cpu() {
    var history = History(runLimit: 2)
    // A stop command runs when no pass does.
    history.record(cpu: .seconds(9), ofRun: 100)
    history.record(.pass(1, phase: .launch, .started), at: .zero)
    for number in [100, 101, 102, 103] as [RunID] {
      if number > 100 { history.record(cpu: .seconds(number.rawValue), ofRun: number) }
      history.record(run(number, pass: 1), at: .zero)
    }
    // This pass never ends.
    history.record(cpu: .seconds(7), ofRun: 104)
    #expect(history.passesInFlight()[0].cpu == [102: .seconds(102), 103: .seconds(103)])
    history.record(.pass(1, phase: .launch, .complete), at: .seconds(1))
    #expect(history.passes(last: 1)[0].cpu == [102: .seconds(102), 103: .seconds(103)])
    history.record(.pass(2, phase: .launch, .started), at: .zero)
    history.record(run(104, pass: 2), at: .zero)
    #expect(history.passesInFlight()[0].cpu == [:])
  }

  @Test("A pass with runs tells how busy the cores were from its opening to its end, if that is known")
  func cores() {
    func busy(
      _ opening: CoreUse?, _ end: CoreUse?, runs: Int = 1
    ) -> (cores: CoreUse?, busy: Duration?) {
      var history = History()
      history.record(.pass(1, phase: .active, .started), at: .zero, cores: CoreUse(count: 9, used: .zero))
      history.record(.passOpened(1), at: .zero, cores: opening)
      for place in 0..<runs { history.record(run(RunID(place), pass: 1), at: .zero) }
      history.record(.pass(1, phase: .active, .complete), at: .seconds(1), cores: end)
      let pass = history.passes(last: 1)[0]
      return (pass.cores, pass.busy)
    }
    let two = CoreUse(count: 2, used: .seconds(10), byProcesses: .seconds(1.5), bySupervisor: .seconds(1))
    #expect(busy(two, CoreUse(count: 2, used: .seconds(13))) == (two, .seconds(3)))
    var history = History()
    history.record(.pass(1, phase: .active, .started), at: .zero)
    history.record(.passOpened(1), at: .zero, cores: two)
    history.record(run(1, pass: 1), at: .zero)
    let end = CoreUse(count: 2, used: nil, byProcesses: .seconds(4), bySupervisor: .seconds(1.25))
    history.record(.pass(1, phase: .active, .complete), at: .seconds(1), cores: end)
    #expect(history.passes(last: 1)[0].supervisor == .seconds(0.25))
    #expect(history.passes(last: 1)[0].processes == .seconds(2.5))
    #expect(busy(two, CoreUse(count: 2, used: .seconds(13)), runs: 0) == (two, nil))
    // The quota has changed in the meantime, or a counter was reset.
    #expect(busy(two, CoreUse(count: 1, used: .seconds(13))) == (two, nil))
    #expect(busy(two, CoreUse(count: 2, used: .seconds(9))) == (two, nil))
    #expect(busy(two, nil) == (two, nil))
    #expect(busy(nil, two) == (nil, nil))
  }

  @Test("The last passes are returned in the order of their ends; none for zero or a negative number")
  func last() {
    var history = History()
    for number in [1, 3, 2] { history.recordPass(PassID(number)) }
    #expect(history.passes(last: 2).map(\.id) == [3, 2])
    #expect(history.passes(last: 9).map(\.id) == [1, 3, 2])
    #expect(history.passes(last: 0).isEmpty)
    #expect(history.passes(last: -1).isEmpty)
  }

  @Test("A pass that was cancelled before it could start took no time")
  func cancelledBeforeStart() {
    var history = History()
    history.record(.pass(7, phase: .active, .started), at: .seconds(9))
    history.record(.pass(7, phase: .active, .cancelled), at: .seconds(9))
    #expect(history.passes(last: 1).map(\.outcome) == [.cancelled])
    #expect(history.passes(last: 1).map(\.started) == [.seconds(9)])
    #expect(history.passes(last: 1).map(\.ended) == [.seconds(9)])
    #expect(history.passes(last: 1).map(\.opened) == [nil])
  }

  @Test("Beyond the limit the oldest passes are dropped; the limit is the machine's own")
  func passBound() {
    #expect(History().passLimit == Machine.rememberedPasses)
    var history = History(passLimit: 3)
    for number in 1...5 { history.recordPass(PassID(number)) }
    #expect(history.numbers == [3, 4, 5])
  }

  @Test("All passes within the limit are kept, however many runs they have together")
  func manyRuns() {
    var history = History(passLimit: 10, runLimit: 5)
    for number in 1...3 { history.recordPass(PassID(number), runs: 4) }
    #expect(history.numbers == [1, 2, 3])
    #expect(history.passes(last: 9).map { $0.runs.count } == [4, 4, 4])
  }

  @Test("The first opening of a pass counts; a pass in flight has its ended runs")
  func inFlight() {
    var history = History()
    history.record(.pass(2, phase: .active, .started), at: .seconds(1))
    #expect(history.passesInFlight().map(\.opened) == [nil])
    history.record(.passOpened(2), at: .seconds(3))
    history.record(.passOpened(2), at: .seconds(5))
    history.record(run(7, pass: 2), at: .seconds(6))
    let pass = History.PassRecord(id: 2, phase: .active, started: .seconds(1), opened: .seconds(3))
    #expect(history.passesInFlight().map(\.id) == [2] && history.passesInFlight(of: .launch).isEmpty)
    #expect(history.passesInFlight()[0].runs.map(\.run) == [7])
    #expect((history.passesInFlight()[0].opened, history.passesInFlight()[0].ended) == (pass.opened, nil))
    #expect(history.record(.pass(2, phase: .active, .complete), at: .seconds(9))?.runs.map(\.run) == [7])
    #expect(history.passesInFlight().isEmpty)
  }

  @Test("Passes in flight are in the order of their numbers")
  func inFlightOrder() {
    var history = History()
    for number in [3, 1, 4, 2] { history.record(.pass(PassID(number), phase: .active, .started), at: .seconds(number)) }
    #expect(history.passesInFlight().map(\.id) == [1, 2, 3, 4])
    #expect(history.openings.map(\.pass) == [1, 2, 3, 4])
  }

  @Test("Of one phase, too, none are returned for a negative number")
  func negativeOfPhase() {
    var history = History()
    history.recordPass(1)
    #expect(history.passes(last: -1, of: .active).isEmpty)
  }

  @Test("Passes of one phase can be asked for")
  func ofOnePhase() {
    var history = History()
    history.record(.pass(1, phase: .launch, .started), at: .zero)
    history.record(.pass(1, phase: .launch, .complete), at: .zero)
    for number in 2...4 { history.recordPass(PassID(number)) }
    #expect(history.passes(last: 1, of: .launch).map(\.id) == [1])
    #expect(history.passes(last: 2, of: .active).map(\.id) == [3, 4])
  }

  @Test("A single pass with more runs than the bound keeps its newest, and the newest pass is always kept")
  func largePass() {
    var history = History(passLimit: 1, runLimit: 3)
    history.recordPass(1, runs: 5)
    #expect(history.passes(last: 1)[0].runs.map(\.run) == [102, 103, 104])
    history.recordPass(2, runs: 2)
    #expect(history.passes(last: 9).map { $0.runs.count } == [2])
  }

  @Test("Notices of unknown passes, and notices that aren't about passes, are ignored")
  func strangers() {
    var history = History()
    history.record(run(1, pass: 1), at: .zero)
    history.record(.pass(1, phase: .launch, .complete), at: .zero)
    let record = StateRecord(
      launch: .init(state: .complete), active: .init(state: .pending), lifecycle: .inactive)
    history.record(.state(record, changed: [.launch]), at: .zero)
    #expect(history.numbers.isEmpty)
    history.recordPass(1)
    #expect(history.passes(last: 1)[0].runs.isEmpty)
  }

  @Test("The notices of a real pass are recorded: attempts, waits and order")
  func ofAMachine() throws {
    let retry = RetryPolicy(attempts: 2, delay: .seconds(1), factor: 1, maxDelay: .seconds(1))
    var machine = Machine(declared: [
      (Declaration("b", dependencies: ["a"], retry: retry), .command), (Declaration("a"), .command),
    ])
    var history = History()
    func tell(_ event: Event, at seconds: Int) throws {
      for case .publish(let notice) in try machine.apply(event, at: .seconds(seconds)) {
        history.record(notice, at: .seconds(seconds))
      }
    }
    try tell(.started, at: 1)
    try tell(.runFinished(run: 1, .success), at: 3)
    try tell(.runFinished(run: 2, .failure(.exit(status: 1))), at: 4)
    try tell(.timePassed, at: 9)
    try tell(.runFinished(run: 3, .success), at: 10)
    let pass = try #require(history.passes(last: 1).first)
    #expect((pass.id, pass.started, pass.ended, pass.outcome) == (1, .seconds(1), .seconds(10), .complete))
    #expect(pass.opened == .seconds(1))
    #expect(pass.runs.map(\.freed) == [nil, RunEnd("a", at: .seconds(3)), RunEnd("b", at: .seconds(4))])
    #expect(pass.runs.map(\.attempts) == [1, 2, 2])
    #expect(pass.runs.map(\.initializer) == ["a", "b", "b"])
    #expect(pass.runs.map(\.attempt) == [1, 1, 2])
    #expect(pass.runs.map(\.waitedFor) == [[], ["a"], ["a"]])
    #expect(pass.runs.map(\.ready) == [.seconds(1), .seconds(3), .seconds(3)])
  }
}
