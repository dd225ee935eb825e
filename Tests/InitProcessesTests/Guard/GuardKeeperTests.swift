import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import InitProcesses
@testable import Platform

@Suite("GuardKeeper")
struct GuardKeeperTests {
  @Test("A guard that ends soon is replaced a second after its start, so that killing each doesn't busy this process")
  func paced() async {
    await #expect(processExitsWith: .success) {
      let times = try playHere { (scene: Scene<[ContinuousClock.Instant]>) in
        let children = ChildTable(loop: scene.loop)
        var times: [ContinuousClock.Instant] = []
        try children.startGuard(grace: .zero, lock: nil) { _ in
          times.append(.now)
          guard times.count < 2 else {
            children.endGuard()
            return scene.finish(times)
          }
          if let pid = children.childGuard?.pid { kill(pid, SIGKILL) }
        }
        kill(try #require(children.childGuard).pid, SIGKILL)
      }
      #expect(times[0].duration(to: times[1]) > .milliseconds(900))
    }
  }

  @Test("A guard that can't be replaced is reported once, and replaced as soon as that is possible")
  func delayed() async {
    await #expect(processExitsWith: .success) {
      let (failures, kept) = try playHere { (scene: Scene<(Int, Bool)>) in
        let children = ChildTable(loop: scene.loop)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit
        let raising = scene.keep(Timer(loop: scene.loop))
        var failures = 0
        try children.startGuard(grace: .zero, lock: nil) { loss in
          #expect(loss.status == .signaled(SIGKILL))
          switch loss.replacement {
          case .failure:
            failures += 1
            // After at least one more attempt.
            raising.start(after: .milliseconds(1500)) {
              var limit = before
              setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            }
          case .success(let pid):
            let isKept = children.childGuard?.pid == pid && kill(pid, 0) == 0
            children.endGuard()
            scene.finish((failures, isKept))
          }
        }
        // A child's group is remembered by the next guard.
        let guarded = try #require(children.childGuard)
        limit.rlim_cur = 3
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        kill(guarded.pid, SIGKILL)
      }
      #expect(failures == 1)
      #expect(kept)
      #expect(waitpid(-1, nil, WNOHANG | __WALL) == -1 && errno == ECHILD, "a guard is left")
    }
  }
}
