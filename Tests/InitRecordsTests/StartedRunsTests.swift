import InitCore
import InitLog
import InitModel
import InitWire
import InitWords
import Testing
import WireConversions

@testable import InitRecords

@Suite("StartedRuns")
struct StartedRunsTests {
  private let grace = Duration.seconds(5)

  private func process(run: RunID = 7, isStop: Bool = false) -> StartedRun {
    let start = RunStart(
      run: run, initializer: "a", pass: 1, phase: .launch, attempt: 2, timeout: nil, worker: nil)
    return StartedRun(start: start, isStop: isStop, pid: 4711)
  }

  private func shape(_ status: InitializerStatus, duration: Double? = nil, _ cause: Cause? = nil) -> Initializer {
    Initializer(
      name: "a", priority: .appLaunch, dependencies: [], provider: .command, available: true, status: status, run: 7,
      duration: duration, error: cause.map { InitializationError(Failure.initializerFailed("a", $0)) })
  }

  private func completed(_ shape: Initializer, by processes: StartedRuns) -> Initializer {
    var shape = shape
    processes.complete(&shape, grace: grace)
    return shape
  }

  @Test("An initializer has the pid of its command while that runs")
  func pids() {
    var processes = StartedRuns()
    #expect(completed(shape(.running), by: processes).pid == nil)
    processes.start(process())
    #expect(completed(shape(.running), by: processes).pid == 4711)
    // The end of the run may be published before it is noted here.
    #expect(completed(shape(.complete, duration: 1), by: processes).pid == nil)
    #expect(processes.end(7) == 4711 && processes.end(7) == nil)
    #expect(completed(shape(.running), by: processes).pid == nil)
    var other = shape(.running)
    other.run = nil
    #expect(completed(other, by: processes).pid == nil)
  }

  @Test("A timeout says why the command was killed, beside an unchanged error; another failure or run doesn't")
  func kills() {
    let timeout = Cause.timeout(after: .seconds(30))
    var processes = StartedRuns()
    processes.kill(process(isStop: true))
    #expect(completed(shape(.failed, duration: 35, timeout), by: processes).killed == nil)
    processes.kill(process())
    let killed = "it didn't exit within 5 s of SIGTERM (cancelGrace), so it was killed with SIGKILL"
    let failed = completed(shape(.failed, duration: 35, timeout), by: processes)
    #expect((failed.error?.message, failed.killed) == ("a failed: timed out after 30 s", killed))
    #expect(completed(shape(.failed, duration: 35, .exit(status: 1)), by: processes).killed == nil)
    #expect(processes.kill(of: "a", run: 7, grace: grace) == killed)
    #expect(processes.kill(of: "a", run: 8, grace: grace) == nil)
    #expect(processes.kill(of: "b", run: 7, grace: grace) == nil)
  }
}
