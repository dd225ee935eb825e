import LoopScenes
import TestSupport
import Testing

@testable import EventLoop

@Suite("After the machine was suspended")
struct WakeSourceTests {
  /// Clocks that a test moves.
  private final class ManualClocks {
    var now = WakeSource.Clocks(boot: .seconds(1000), running: .seconds(400))

    func run(_ time: Duration) {
      now.boot += time
      now.running += time
    }

    func suspend(_ time: Duration) { now.boot += time }
  }

  /// Returns what is reported after each step.
  private func reported(_ steps: [@Sendable (ManualClocks) -> Void]) async throws -> [[Duration]] {
    try await play([[Duration]].self) { scene in
      let clocks = ManualClocks()
      var reports: [[Duration]] = []
      let source = WakeSource(loop: scene.loop, clocks: { clocks.now }) { reports[reports.count - 1].append($0) }
      scene.keep(source)
      for step in steps {
        reports.append([])
        step(clocks)
        source.compare()
      }
      scene.finish(reports)
    }
  }

  @Test("A suspension of more than 5 s is reported once, with its length")
  func reportsOnce() async throws {
    let reports = try await reported([{ $0.suspend(.seconds(3600)) }, { $0.run(.seconds(6)) }])
    #expect(reports == [[.seconds(3600)], []])
  }

  @Test("A shorter one, and time in which the machine runs, are not reported")
  func ignoresOthers() async throws {
    let reports = try await reported([
      { $0.run(.seconds(3600)) },
      {
        $0.run(.seconds(1))
        $0.suspend(.seconds(5))
      },
      { $0.run(.seconds(5)) },
    ])
    #expect(reports == [[], [], []])
  }

  @Test("Two suspensions are reported each")
  func reportsEach() async throws {
    let reports = try await reported([
      { $0.suspend(.seconds(6)) }, { $0.run(.seconds(5)) }, { $0.suspend(.seconds(10)) },
    ])
    #expect(reports == [[.seconds(6)], [], [.seconds(10)]])
  }
}
