import Testing

@testable import InitRunner

@Suite("ProcessUse")
struct ProcessUseTests {
  @Test("A run has the CPU time of all starts of the process, and of its checks; the rest is outside")
  func run() {
    var use = ProcessUse()
    use.beginRun()
    use.end(.seconds(3))
    use.add(.seconds(0.5))
    use.read(.seconds(1))
    use.read(.seconds(2))
    #expect(use.endRun() == .seconds(5.5))
    #expect(use.outside == .zero)
    use.read(.seconds(2.25))
    use.add(.seconds(1))
    use.end(.seconds(2.5))
    #expect(use.outside == .seconds(1.5))
    use.read(.seconds(1))
    #expect(use.outside == .seconds(2.5))
  }

  @Test("A run that begins while the process runs has only the CPU time from then on")
  func running() {
    var use = ProcessUse()
    use.read(.seconds(4))
    use.beginRun()
    use.read(.seconds(6))
    #expect(use.endRun() == .seconds(2))
    #expect(use.outside == .seconds(4))
  }

  @Test("CPU time of descendants that disappears isn't subtracted, and isn't counted twice")
  func disappeared() {
    var use = ProcessUse()
    use.beginRun()
    use.read(.seconds(5))
    use.read(.seconds(3))
    use.read(.seconds(6))
    #expect(use.endRun() == .seconds(6))
    #expect(use.outside == .zero)
  }

  @Test("Without a run, and if the CPU time at an exit isn't known, a run has none")
  func unknown() {
    var use = ProcessUse()
    #expect(use.endRun() == nil)
    use.beginRun()
    use.end(nil)
    use.add(.seconds(1))
    #expect(use.endRun() == nil)
  }
}
