import InitWire
import Testing

@testable import initctl

struct WaitReportTests {
  @Test("It reports how the target of the wait ended, and why")
  func sentences() {
    #expect(
      WaitReport.sentence(.ready, StateShape(.failed, error: .exit3))
        == "ready failed: cannot initialize prices: exit status 3")
    #expect(WaitReport.sentence(.pass(3), StateShape(.cancelled)) == "pass 3 was cancelled")
    #expect(WaitReport.sentence(.launch, StateShape(.failed)) == "launch is failed")
    #expect(
      WaitReport.sentence(.initializer("other"), StateShape(.failed, error: .exit3)).hasPrefix("other can't run: "))
    #expect(
      WaitReport.sentence(.initializer(ErrorShape.exit3.initializer), StateShape(.failed, error: .exit3))
        == ErrorShape.exit3.message)
  }

  @Test("An error has output only if a run ended with it, and no other run has begun since")
  func run() {
    #expect(WaitReport.run(of: .exit3, in: .fake) == 1)
    let missing = ErrorShape(initializer: "prices", reason: .missingDependency(dependency: "b"), message: "")
    #expect(WaitReport.run(of: missing, in: .fake) == nil)
    var later = StatusShape.fake
    later.initializers[3].error = nil
    #expect(WaitReport.run(of: .exit3, in: later) == nil)
  }

  @Test("The last output lines of that run are shown, and no other run's")
  func output() {
    func line(_ run: Int, _ number: Int) -> LogLineShape {
      LogLineShape(time: 1, initializer: "a", run: run, stream: .stderr, line: "\(run).\(number)")
    }
    let lines = (1...20).map { line(1, $0) } + (1...12).map { line(2, $0) }
    #expect(WaitReport.output(of: 2, in: lines) == (3...12).map { "  a | 2.\($0)" })
    #expect(WaitReport.output(of: 1, in: Array(lines.prefix(2))) == ["  a | 1.1", "  a | 1.2"])
    #expect(WaitReport.output(of: 3, in: lines) == [])
  }

  @Test("After a timeout, it lists the pending initializers")
  func stillWaiting() {
    #expect(
      WaitReport.stillWaiting(for: .ready, .fake) == [
        "  feature-toggles is running for 1.2 s: attempt 2, 50% half\\u{1B}[2J",
        "  favorites is waiting: blocked by feature-toggles, its worker has disconnected",
      ])
    #expect(
      WaitReport.stillWaiting(for: .launch, .fake) == [
        "  feature-toggles is running for 1.2 s: attempt 2, 50% half\\u{1B}[2J"
      ])
  }

  @Test("For an inactive app, the first line says that it will not be ready")
  func inactive() {
    var status = StatusShape.fake
    status.lifecycle = .known(.inactive)
    let remedy = "  the app is inactive; make it active with initctl activate"
    #expect(WaitReport.stillWaiting(for: .ready, status).first == remedy)
    #expect(WaitReport.stillWaiting(for: .launch, status).first != remedy)
  }

  @Test("The target of the wait is listed, whatever its status")
  func named() {
    let status = StatusShape.fake
    #expect(WaitReport.stillWaiting(for: .initializer("migrate"), status).first == "  migrate is complete for 210 ms")
  }
}
