import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import EventLoop
@testable import InitProcesses
@testable import Platform

@Suite("Guarded children")
struct ChildTableGuardTests {
  @Test("A child's group is guarded until the child has been reaped; then nothing is kept of it, and its slot is free")
  func reaped() async {
    await #expect(processExitsWith: .success) {
      let (pids, groups): ([Int32], [Int32]) = try playHere { scene in
        let children = ChildTable(loop: scene.loop)
        try children.startGuard(grace: .zero, lock: nil) { _ in }
        let guarded = try #require(children.childGuard)
        var pids: [Int32] = []
        var groups: [Int32] = []
        func start() throws {
          let child = try ChildProcess(
            in: children, arguments: ["/bin/true"], environment: try EnvironmentBlock([:])
          ) { _ in
            groups.append(guarded.group(at: 0).pointee)
            precondition(!children.isOwn(pids[pids.count - 1]))
            guard pids.count < 2 else {
              children.endGuard()
              return scene.finish((pids, groups))
            }
            try? start()
          }
          pids.append(child.pid)
          groups.append(guarded.group(at: 0).pointee)
        }
        try start()
      }
      // The second one takes the slot of the first one.
      #expect(groups == [pids[0], 0, pids[1], 0])
    }
  }

  @Test("A child that can't be started, or can't be watched, keeps no slot of the guard")
  func failed() async {
    await #expect(processExitsWith: .success) {
      let (slots, failures): ([Int?], Int) = try playHere { scene in
        let children = ChildTable(loop: scene.loop)
        try children.startGuard(grace: .zero, lock: nil) { _ in }
        let guarded = try #require(children.childGuard)
        var slots: [Int?] = []
        /// Starts a program; after a failure, checks which slot the next child would get.
        func start(_ program: String, refusing call: Int) throws -> Bool {
          var isStarted = false
          _ = FaultInjection.refusing([call], with: EMFILE) {
            let child = try? ChildProcess(
              in: children, arguments: [program], environment: EnvironmentBlock([:]), output: .null, error: .null
            ) { _ in
              children.endGuard()
              scene.finish((slots, slots.count))
            }
            isStarted = child != nil
          }
          guard !isStarted else { return true }
          let slot = guarded.slot()
          slots.append(slot)
          if let slot { guarded.release(slot) }
          return false
        }
        #expect(try !start("/etc/passwd", refusing: 0))
        // Each of the calls of a start is refused once: the last one is that of the watch.
        var call = 1
        while try !start("/bin/true", refusing: call) { call += 1 }
      }
      #expect(failures > 3)
      #expect(slots.allSatisfy { $0 == 0 })
    }
  }

  @Test(
    "A wait for any child sees the guard only with __WALL, so it tells whether there is another child; its end reaps the guard"
  )
  func unseen() async {
    await #expect(processExitsWith: .success) {
      let errors: [Int32] = try playHere { scene in
        let children = ChildTable(loop: scene.loop)
        var errors: [Int32] = []
        func wait(_ kinds: Int32 = 0) { errors.append(waitpid(-1, nil, WNOHANG | kinds) < 0 ? errno : 0) }
        try children.startGuard(grace: .zero, lock: nil) { _ in }
        wait()
        let child = try ChildProcess(
          in: children, arguments: ["/bin/sleep", "1000"], environment: EnvironmentBlock([:])
        ) { _ in
          wait()
          wait(__WALL)
          children.endGuard()
          wait(__WALL)
          scene.finish(errors)
        }
        wait()
        child.kill()
      }
      #expect(errors == [ECHILD, 0, ECHILD, 0, ECHILD])
    }
  }
}
