import EventLoop
import Glibc
import LoopScenes
import TestSupport
import Testing

@testable import InitProcesses
@testable import Platform

/// Each system call fails once, with each possible error.
///
/// The operation either still works or throws, and afterwards there are no additional descriptors, handles, children or files.
@Suite("Failing system calls of processes")
struct ProcessFaultTests {
  @Test("A private directory, and its guard")
  func privateDirectory() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, directory in
        let children = ChildTable(loop: scene.loop)
        try children.startGuard(grace: .zero, lock: nil) { _ in }
        defer { children.endGuard() }
        let made = PrivateDirectory(in: directory.path, guardedBy: { children.childGuard })
        defer { made.remove() }
        // If it can't be created here, it is created in /tmp.
        _ = try made.path()
        scene.finish(())
      }
    }
  }

  @Test("A child, its output and its end")
  func child() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, _ in
        let children = ChildTable(loop: scene.loop)
        _ = try ChildProcess(
          in: children, arguments: ["/bin/echo", "x"],
          environment: try EnvironmentBlock([:]),
          streams: { () throws(SystemError) in try ChildStreams(in: children, output: .pipe, error: .null) }()
        ) { _ in scene.finish(()) }
      }
      #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD, "a child is left")
    }
  }

  @Test("A guard of children")
  func childGuard() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, _ in
        let children = ChildTable(loop: scene.loop)
        try children.startGuard(grace: .zero, lock: nil) { _ in }
        children.endGuard()
        scene.finish(())
      }
      #expect(waitpid(-1, nil, WNOHANG | __WALL) == -1 && errno == ECHILD, "a guard is left")
    }
  }

  @Test("Datagrams, under one path and another")
  func datagrams() async {
    await #expect(processExitsWith: .success) {
      try refuseEach { scene, directory in
        let socket = scene.keep(try Datagrams(loop: scene.loop, path: directory["a"]) { _ in scene.finish(()) })
        try? socket.move(to: directory["b"])
        try #require(connect(to: socket.path, datagram: true)).send("x")
      }
    }
  }
}

/// Calls `refuseEach` for errors that only report the failure.
private func refuseEach(_ body: (Scene<Void>, TemporaryDirectory) throws -> Void) throws {
  try refuseEach(isExpected: { $0 is SystemError || $0 is ListenerError || $0 is SpawnError }, body)
}
