import Testing

@testable import InitSupervisor

@Suite("Ending")
struct EndingTests {
  @Test(
    "S24: the app ends first, then workers, then completed initializers are stopped, then orphans end, then everything closes"
  )
  func order() {
    var ending = Ending()
    func next(app: Bool = false, workers: Bool = true, orphans: Bool = false) -> Ending.Step {
      ending.next(isAppRunning: app, areWorkersStopped: workers, hasOrphans: orphans)
    }
    #expect(next() == .wait)
    ending.isQuiet = true
    #expect(next(app: true, workers: false) == .wait)
    #expect(next(workers: false, orphans: true) == .stopProcesses)
    #expect(next(orphans: true) == .stopInitializers)
    ending.isStopped = true
    #expect(next(orphans: true) == .endOrphans)
    #expect(next() == .end)
    ending.isEnded = true
    #expect(next() == .wait)
  }
}
