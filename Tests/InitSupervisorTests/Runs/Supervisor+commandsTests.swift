import Glibc
import InitCore
import InitModel
import InitRunner
import InitSupervisor
import InitWire
import InitWords
import Platform
import TestSupport
import Testing

@Suite("Supervisor: commands")
struct SupervisorCommandsTests {
  /// The state of launch once it isn't pending.
  private static func launched(_ client: Client) throws -> Status.State {
    try client.call(WaitRequest(for: .launch))
  }

  private static func lines(_ client: Client) throws -> [LogLine] {
    try client.call(LogsRequest()).lines
  }

  private static func cause(of state: Status.State) -> Cause? {
    if case .initializerFailed(let cause)? = state.error?.reason { cause } else { nil }
  }

  @Test("A command's progress report over its socket is published, and extends its deadline (S15, S17)")
  func progress() async throws {
    let script = """
      import os, socket
      told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      told.sendto(b"STATUS=half of the shelves\\nX_INITD_PROGRESS=0.5\\nEXTEND_TIMEOUT_USEC=600000000\\n",
                  os.environ["NOTIFY_SOCKET"])
      open(os.environ["FIFO"]).read()
      """
    try await Setting(configure: { configuration, directory in
      let fifo = Fifo("go", in: directory)
      configuration.environment["FIFO"] = fifo.path
      configuration.machine.launchesAtStart = false
      configuration.add(Declaration("migrate", timeout: .seconds(300)), command: ["python3", "-c", script])
    }).play { stage in
      let client = try Client(stage)
      try client.call(SubscribeRequest(topics: [.initializer]))
      try client.call(LaunchRequest())
      let progress = try client.event { if case .initializer(let shape) = $0 { shape.progress } else { nil } }
      #expect(progress == Initializer.Progress(fraction: 0.5, message: "half of the shelves"))
      try Fifo(madeAs: "go", in: stage.directory).letGo()
      #expect(try Self.launched(client).state == .complete)
    }
  }

  @Test("A command's environment describes its run, and its notification socket is its own")
  func environment() async throws {
    try await Setting(configure: { configuration, directory in
      configuration.environment = ["PATH": "/bin:/usr/bin", "A": "base", "FILE": directory["sockets"]]
      configuration.add(
        Declaration("a"),
        shell:
          "echo $A $INITD_INITIALIZER $INITD_RUN $INITD_PASS $INITD_PHASE; test -S $NOTIFY_SOCKET && echo $NOTIFY_SOCKET > $FILE"
      )
      configuration.add(
        Declaration("b"), shell: "test -S $NOTIFY_SOCKET && ! grep -x $NOTIFY_SOCKET $FILE && wc -l < $FILE && rm $FILE"
      )
    }).play { stage in
      let client = try Client(stage)
      #expect(try Self.launched(client).state == .complete)
      #expect(try Self.lines(client).map(\.line) == ["base a 1 1 launch", "1"])
    }
  }

  @Test("A failed command has its exit status as cause, and its last lines are available by then")
  func lastWords() async throws {
    try await Setting(configure: { configuration, _ in
      configuration.add(Declaration("a"), shell: "echo first; printf 'no newline' >&2; exit 3")
    }).play { stage in
      let client = try Client(stage)
      let state = try Self.launched(client)
      #expect(Self.cause(of: state) == .exit(status: 3))
      let lines = try Self.lines(client)
      #expect(Set(lines.map { "\($0.stream.rawValue) \($0.line)" }) == ["stdout first", "stderr no newline"])
      #expect(lines.allSatisfy { $0.initializer == "a" && $0.run == 1 })
    }
  }

  @Test("A command that is terminated by a signal fails with that signal; a missing program fails with the reason")
  func otherCauses() async throws {
    try await Setting(configure: { configuration, _ in
      configuration.add(Declaration("killed", isOptional: true), shell: "kill -SEGV $$")
      configuration.add(Declaration("missing"), command: ["no-such-program"])
    }).play { stage in
      let client = try Client(stage)
      guard case .notFound(let why)? = Self.cause(of: try Self.launched(client)) else {
        Issue.record("it is not notFound")
        return
      }
      #expect(why.contains("no-such-program"))
      let killed = try client.call(WaitRequest(for: .initializer("killed")))
      #expect(Self.cause(of: killed) == .signal("SIGSEGV"))
    }
  }

  @Test(
    "A remaining process that holds the output open doesn't delay completion; its output is read for a short time"
  )
  func leftBehind() async throws {
    try await Setting(configure: { configuration, directory in
      let out = Fifo("out", in: directory)
      let go = Fifo("go", in: directory)
      configuration.limits.runs.outputDrain = .seconds(60)
      // It must leave the group before the leader ends; otherwise it would be killed with the group.
      configuration.add(
        Declaration("a"),
        shell: """
          setsid sh -c 'echo > \(out.path); cat \(go.path); echo late' &
          cat \(out.path) > /dev/null; echo soon; printf 'no newline'
          """)
    }).play { stage in
      let client = try Client(stage)
      try client.call(SubscribeRequest(topics: [.log]))
      #expect(try Self.launched(client).state == .complete)
      #expect(try Self.lines(client).map(\.line) == ["soon", "no newline"])
      try Fifo(madeAs: "go", in: stage.directory).letGo()
      try client.event { if case .log(let line) = $0, line.line == "late" { () } else { nil } }
    }
  }

  @Test("At the end, the output of processes that commands left behind isn't read any more")
  func leftBehindAtTheEnd() async throws {
    let pid = try await Setting(configure: { configuration, directory in
      let out = Fifo("out", in: directory)
      configuration.limits.runs.outputDrain = .seconds(3600)
      configuration.add(
        Declaration("a"),
        shell: "setsid sh -c 'echo > \(out.path); exec sleep 3600' & cat \(out.path) > /dev/null; echo $!")
    }).play { stage in
      let client = try Client(stage)
      #expect(try Self.launched(client).state == .complete)
      return Int32(try Self.lines(client)[0].line)
    }
    if let pid { kill(pid, SIGKILL) }
  }

  @Test("A command that ignores SIGTERM is killed with its group after the grace period (S13)")
  func grace() async throws {
    try await Setting(configure: { configuration, _ in
      configuration.machine.cancelGrace = .milliseconds(50)
      configuration.add(
        Declaration("a", priority: .appActive),
        shell: "trap '' TERM; sleep 3600 & echo $$ $!; while :; do wait; done")
    }).play { stage in
      let client = try Client(stage)
      try client.call(SubscribeRequest(topics: [.log]))
      try client.call(ActivateRequest())
      let pids = try client.event { if case .log(let line) = $0 { line.line } else { nil } }
      #expect(try client.call(DeactivateRequest(wait: true)).cancelled == ["a"])
      for pid in pids.split(separator: " ") { try #require(gone(Int32(pid) ?? 0)) }
    }
  }

  /// Whether a process has ended; a killed orphan may wait a moment for its new parent.
  private func gone(_ pid: Int32) -> Bool {
    for _ in 0..<60_000 {
      if ProcessTable.isGone(pid) { return true }
      usleep(1000)
    }
    return false
  }
}
