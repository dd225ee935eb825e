import Glibc
import LoopScenes
import TestSupport
import Testing

// Testing declares this name, too.
import enum InitProcesses.ExitStatus

@testable import EventLoop
@testable import InitProcesses
@testable import Platform

@Suite("ChildProcess")
struct ChildProcessTests {
  @Test(
    "Its exit is reported once",
    arguments: [
      ("exit 0", ExitStatus.exited(0)), ("exit 3", .exited(3)), ("exit 255", .exited(255)),
      ("kill -9 $$", .signaled(SIGKILL)), ("kill -TERM $$", .signaled(SIGTERM)),
    ])
  func exits(script: String, expected: ExitStatus) async throws {
    let (status, stored, hasUsage) = try await play((ExitStatus, ExitStatus?, Bool).self) { scene in
      let child = Kept()
      child.process = try sh(ChildTable(loop: scene.loop), script) {
        let usage = child.process?.usage
        scene.finish(($0, child.process?.status, (usage?.maximumResidentBytes ?? 0) > 0))
      }
    }
    #expect(status == expected)
    #expect(stored == expected)
    #expect(hasUsage)
  }

  @Test("Standard output and error have separate pipes, which end with the child")
  func output() async throws {
    let directory = TemporaryDirectory()
    let (output, error) = try await play((String, String).self) { scene in
      let child = Kept()
      child.process = try sh(
        ChildTable(loop: scene.loop), "echo out; echo err >&2; pwd", directory: directory.path, error: .pipe
      ) { _ in
        scene.finish((child.output, child.process?.standardError?.readToEnd() ?? ""))
      }
    }
    #expect(output == "out\n\(directory.path)\n")
    #expect(error == "err\n")
  }

  @Test("It gets exactly the given environment")
  func environment() async throws {
    let output = try await output(of: ["/usr/bin/env"], environment: ["B": "2=2", "A": "1", "EMPTY": ""])
    #expect(output == "A=1\nB=2=2\nEMPTY=\n")
  }

  @Test("Its standard input is empty, and its streams can be /dev/null")
  func null() async throws {
    let output = try await output(of: ["/bin/sh", "-c", "cat; readlink /proc/self/fd/0 /proc/$$/fd/2"], error: .null)
    #expect(output == "/dev/null\n/dev/null\n")
  }

  @Test("It leads its own session and group")
  func session() async throws {
    let output = try await output(of: ["/bin/sh", "-c", "echo $$; cut -d' ' -f5,6 /proc/$$/stat"])
    let lines = output.split(separator: "\n")
    #expect(lines.count == 2 && lines[1] == "\(lines[0]) \(lines[0])")
  }

  @Test("It inherits only descriptors 0, 1 and 2, even if others aren't close-on-exec")
  func descriptors() async throws {
    let leak = Descriptor(owning: fcntl(try Descriptor.openNull().number, F_DUPFD, 100))
    let script = "for n in 0 1 2 3 4 5 6 7 8 9 \(leak.number); do test -e /proc/$$/fd/$n && echo $n; done; true"
    // dash moves its own descriptors to 10 and above, and opens none for this command.
    #expect(try await output(of: ["/bin/sh", "-c", script]) == "0\n1\n2\n")
  }

  @Test(
    "It starts with an empty mask and default dispositions, regardless of ours, and even if only changed ones are reset",
    arguments: [false, true])
  func signals(areNoted: Bool) async {
    await #expect(processExitsWith: .success) { [areNoted] in
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
      for number in [SIGTERM, SIGHUP, SIGUSR1, 64] { Glibc.signal(number, SIG_IGN) }
      if areNoted { ProcessStart.recordDispositions() }
      ProcessStart.ignoreBrokenPipes()
      let output: String = try playHere { scene in
        let child = Kept()
        child.process = try ChildProcess(
          in: ChildTable(loop: scene.loop), arguments: ["/bin/grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"],
          environment: EnvironmentBlock([:]), output: .pipe
        ) { _ in scene.finish(child.output) }
      }
      #expect(output == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n")
    }
  }

  @Test("A variable with the child's own pid has the pid of the first child that is started with the block")
  func ownPid() async throws {
    let (first, second, pid): (String, String, Int32) = try await play { scene in
      let block = try EnvironmentBlock(EnvironmentBlock(["A": "1"]), adding: [("B", "2")], ownPidIn: "OWN")
      let (one, two) = (Kept(), Kept())
      var left = 2
      func end() {
        left -= 1
        if left == 0 { scene.finish((one.output, two.output, one.process?.pid ?? 0)) }
      }
      for child in [one, two] {
        child.process = try ChildProcess(
          in: ChildTable(loop: scene.loop), arguments: ["/bin/sh", "-c", "echo $A $B $OWN"], environment: block,
          output: .pipe
        ) { _ in end() }
      }
    }
    #expect(first == "1 2 \(pid)\n")
    // It isn't another program's pid.
    #expect(second == first)
  }

  @Test("Programs are searched for in the child's PATH, from the child's directory")
  func path() async throws {
    let directory = TemporaryDirectory()
    mkdir(directory["bin"], 0o700)
    directory.write("bin/hello", "#!/bin/sh\necho hello\n", mode: 0o755)
    let absolute = try await output(of: ["hello"], environment: ["PATH": "/none:\(directory["bin"])"])
    #expect(absolute == "hello\n")
    let relative = try await output(of: ["hello"], environment: ["PATH": "bin"], directory: directory.path)
    #expect(relative == "hello\n")
    let slash = try await output(of: ["bin/hello"], directory: directory.path)
    #expect(slash == "hello\n")
    #expect(
      try await failure(["hello"], environment: ["PATH": "/usr/bin:/bin"])
        == SpawnError(call: .find, errno: ENOENT, program: "hello"))
  }

  @Test("The reasons why a program can't be started are different errors")
  func failures() async throws {
    let directory = TemporaryDirectory()
    let plain = directory.write("plain", "#!/bin/sh\n", mode: 0o644)
    let text = directory.write("text", "hello\n", mode: 0o755)
    let orphan = directory.write("orphan", "#!/none/interpreter\n", mode: 0o755)
    let missing = directory["none"]
    #expect(try await failure([missing]) == SpawnError(call: .find, errno: ENOENT, program: missing))
    #expect(try await failure([plain]) == SpawnError(call: .execute, errno: EACCES, program: plain))
    #expect(try await failure([directory.path]) == SpawnError(call: .execute, errno: EACCES, program: directory.path))
    #expect(try await failure([text]) == SpawnError(call: .execute, errno: ENOEXEC, program: text))
    #expect(try await failure([orphan]) == SpawnError(call: .execute, errno: ENOENT, program: orphan))
    #expect(
      try await failure(["plain"], environment: ["PATH": directory.path])
        == SpawnError(call: .find, errno: EACCES, program: "plain"))
    #expect(
      try await failure(["/bin/true"], directory: missing)
        == SpawnError(call: .changeDirectory, errno: ENOENT, program: "/bin/true", directory: missing))
    #expect(
      try await failure(["/bin/true"], directory: plain)
        == SpawnError(call: .changeDirectory, errno: ENOTDIR, program: "/bin/true", directory: plain))
    for arguments in [[], [""], ["/bin/true", "a\0b"]] {
      #expect(
        try await failure(arguments)
          == SpawnError(call: .arguments, errno: EINVAL, program: arguments.first ?? ""))
    }
  }

  @Test("Its streams can be created before it, and a stream that it closes early doesn't wake the loop")
  func streams() async throws {
    let directory = TemporaryDirectory()
    let gate = directory["gate"]
    mkfifo(gate, 0o600)
    let (early, output) = try await play((Int?, String).self) { scene in
      let streams = try ChildStreams(in: ChildTable(loop: scene.loop), output: .pipe, error: .pipe)
      let child = Kept()
      var wakeUps = 0
      var early = Int?.none
      child.process = try ChildProcess(
        in: ChildTable(loop: scene.loop), arguments: ["/bin/sh", "-c", "exec >&-; echo said >&2; read go < \(gate)"],
        environment: EnvironmentBlock(["PATH": "/usr/bin:/bin"]), streams: streams
      ) { _ in scene.finish((early, child.process?.standardError?.readToEnd() ?? "")) }
      let closed = scene.keep(try Poll(loop: scene.loop, descriptor: try #require(child.process?.standardOutput)))
      try closed.start([.readable, .disconnected]) { _ in wakeUps += 1 }
      // The output follows the close of the other stream; a turn later the loop has seen both.
      let turn = scene.keep(Timer(loop: scene.loop))
      let said = scene.keep(try Poll(loop: scene.loop, descriptor: try #require(child.process?.standardError)))
      try said.start(.readable) { _ in
        said.stop()
        turn.start(after: .zero) {
          early = wakeUps
          Descriptor(owning: open(gate, O_WRONLY)).close()
        }
      }
    }
    #expect(early == 0)
    #expect(output == "said\n")
  }

  @Test("When it has exited, the rest of its group is killed")
  func group() async throws {
    let (status, output) = try await play((ExitStatus, String).self) { scene in
      let child = Kept()
      // The remaining process holds the pipe open: reading ends only when it is dead.
      child.process = try sh(ChildTable(loop: scene.loop), "sleep 1000 & exit 4") { scene.finish(($0, child.output)) }
    }
    #expect(status == .exited(4))
    #expect(output == "")
  }

  @Test("What it leaves behind in its group is reported if it exits by itself, and not if its group got a signal")
  func leftBehind() async throws {
    let counts = try await play([Int].self) { scene in
      let first = Kept()
      let second = Kept()
      func startSecond(_ count: Int) throws {
        // The sleep ignores the signal.
        let script = "(trap '' USR1; echo; exec sleep 1000) & trap 'exit 9' USR1; wait"
        second.process = try sh(ChildTable(loop: scene.loop), script) { _ in
          scene.finish([count, second.process?.leftBehind.count ?? -1])
        }
        let poll = scene.keep(try Poll(loop: scene.loop, descriptor: try #require(second.process?.standardOutput)))
        try poll.start(.readable) { _ in
          poll.stop()
          second.process?.signalGroup(SIGUSR1)
        }
      }
      first.process = try sh(ChildTable(loop: scene.loop), "sleep 1000 & exit 4") { _ in
        do { try startSecond(first.process?.leftBehind.count ?? -1) } catch { scene.finish([]) }
      }
    }
    #expect(counts == [1, 0])
  }

  @Test("If the process alone is told to end, its group gets no signal before it has exited")
  func endAlone() async throws {
    let (status, count) = try await play((ExitStatus, Int).self) { scene in
      let kept = Kept()
      kept.process = try sh(ChildTable(loop: scene.loop), "sleep 1000 & trap 'exit 5' TERM; echo; wait") {
        scene.finish(($0, kept.process?.leftBehind.count ?? -1))
      }
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: try #require(kept.process?.standardOutput)))
      try poll.start(.readable) { _ in
        poll.stop()
        kept.process?.end(.process, within: nil)
      }
    }
    #expect(status == .exited(5))
    #expect(count == 1)
  }

  @Test("The time that a child has to end stops with its exit, even if it is kept")
  func endOfTime() async throws {
    try await inThread {
      let kept = Kept()
      // The loop can't be closed while a timer is open.
      let status = try playHere { (scene: Scene<ExitStatus>) in
        kept.process = try sh(ChildTable(loop: scene.loop), "exec sleep 1000") { scene.finish($0) }
        kept.process?.end(within: .seconds(600))
      }
      #expect(status == .signaled(SIGTERM))
      withExtendedLifetime(kept) {}
    }
  }

  @Test("An orphan is known, unless it was killed with the group of its command")
  func orphans() async {
    await #expect(processExitsWith: .success) {
      let counts = try playHere { (scene: Scene<[Int]>) in
        let children = ChildTable(loop: scene.loop)
        let orphans = try Orphans(of: children)
        _ = try sh(children, "setsid sleep 1000 & until test $(cut -d ' ' -f 6 /proc/$!/stat) = $!; do :; done") { _ in
          let found = orphans.processes
          children.killedGroups.formUnion(found.map(\.pid))
          let counts = [found.count, orphans.processes.count]
          for each in found { kill(each.pid, SIGKILL) }
          orphans.close()
          scene.finish(counts)
        }
      }
      #expect(counts == [1, 0])
    }
  }

  @Test("Of the groups that were killed, those that have ended are forgotten")
  func killedGroups() async {
    await #expect(processExitsWith: .success) {
      let count = try playHere { (scene: Scene<Int>) in
        let children = ChildTable(loop: scene.loop)
        let orphans = try Orphans(of: children)
        var left = 20
        func start() throws {
          _ = try sh(children, "sleep 1000 & exit 4") { _ in
            left -= 1
            guard left > 0 else {
              orphans.close()
              return scene.finish(children.killedGroups.count)
            }
            // The orphan is reaped before the next child is started.
            scene.afterTurn { try? start() }
          }
        }
        try start()
      }
      #expect((1...10).contains(count), "\(count)")
    }
  }

  @Test("A signal is sent to the process alone or to its whole group, and never after it was reaped")
  func signal() async throws {
    let (sent, status, after) = try await play(([Bool], ExitStatus, [Bool]).self) { scene in
      let child = Kept()
      var sent: [Bool] = []
      // The shell ignores SIGINT and survives it; the sleep that it waits for ends by the signal to the group.
      child.process = try sh(ChildTable(loop: scene.loop), "trap '' INT; trap 'exit 9' USR1; echo; sleep 1000 & wait") {
        scene.finish(
          (sent, $0, [child.process?.signal(SIGTERM), child.process?.signalGroup(SIGTERM)].map { $0 == true }))
      }
      let output = try #require(child.process?.standardOutput)
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: output))
      try poll.start(.readable) { _ in
        poll.stop()
        sent.append(child.process?.signal(SIGINT) == true)
        sent.append(child.process?.signalGroup(SIGUSR1) == true)
      }
    }
    #expect(sent == [true, true])
    #expect(status == .exited(9))
    #expect(after == [false, false])
  }

  @Test("With many children at once no exit is lost, even if the object isn't kept, and no zombie is left")
  func many() async throws {
    let (statuses, children) = try await play(([Int32: Int], [Int32]).self) { scene in
      let environment = try EnvironmentBlock([:])
      var statuses: [Int32: Int] = [:]
      var children: [Int32] = []
      for number in 0..<60 {
        let child = try ChildProcess(
          in: ChildTable(loop: scene.loop), arguments: ["/bin/sh", "-c", "exit \(number % 3)"], environment: environment
        ) { status in
          guard case .exited(let code) = status else { return }
          statuses[code, default: 0] += 1
          if statuses.values.reduce(0, +) == 60 { scene.finish((statuses, children)) }
        }
        children.append(child.pid)
      }
    }
    #expect(statuses == [0: 20, 1: 20, 2: 20])
    // The processes are reaped: none of them is a child of ours any more.
    #expect(children.allSatisfy { waitpid($0, nil, WNOHANG) == -1 })
  }

  @Test("The exit status of another owner's child isn't consumed")
  func foreign() async throws {
    var stranger = pid_t()
    var argv: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/false"), nil]
    defer { free(argv[0]) }
    try #require(posix_spawn(&stranger, "/bin/false", nil, nil, &argv, environ) == 0)
    let status = try await play(ExitStatus.self) { scene in
      _ = try sh(ChildTable(loop: scene.loop), "exit 0") { scene.finish($0) }
    }
    #expect(status == .exited(0))
    var word: Int32 = 0
    #expect(waitpid(stranger, &word, 0) == stranger)
    #expect(word == 1 << 8)
  }

  @Test("If other code has reaped the child, its exit is still reported, with unknown status")
  func unknown() async {
    await #expect(processExitsWith: .success) {
      Glibc.signal(SIGCHLD, SIG_IGN)
      let status: ExitStatus = try playHere { scene in
        try sh(ChildTable(loop: scene.loop), "exec sleep 1000") { scene.finish($0) }.signal(SIGKILL)
      }
      #expect(status == .unknown)
    }
  }

  @Test("A child that keeps the terminal leads its own group in our session")
  func foreground() async throws {
    let output = try await play(String.self) { scene in
      let child = Kept()
      child.process = try ChildProcess(
        in: ChildTable(loop: scene.loop), arguments: ["/bin/sh", "-c", "echo $$; cut -d' ' -f5,6 /proc/$$/stat"],
        environment: EnvironmentBlock(["PATH": "/usr/bin:/bin"]), session: .foreground,
        streams: ChildStreams(in: ChildTable(loop: scene.loop), output: .pipe)
      ) { _ in scene.finish(child.output) }
    }
    let lines = output.split(separator: "\n")
    #expect(lines.count == 2 && lines[1] == "\(lines[0]) \(getsid(0))")
  }

  @Test("Without descriptors, the start fails, and no process is left")
  func exhausted() async {
    await #expect(processExitsWith: .success) {
      let errors: [SpawnError] = try playHere { scene in
        let environment = try EnvironmentBlock([:])
        var errors: [SpawnError] = []
        func start(_ output: ChildStreams.Output) {
          do throws(SpawnError) {
            _ = try ChildProcess(
              in: ChildTable(loop: scene.loop), arguments: ["/bin/sleep", "1000"], environment: environment,
              input: .inherited,
              output: output
            ) { _ in }
          } catch { errors.append(error) }
        }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit.rlim_cur
        limit.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        start(.pipe)
        start(.inherited)
        limit.rlim_cur = before
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        scene.finish(errors)
      }
      #expect(errors.map(\.call) == [.pipe, .clone])
      #expect(errors.allSatisfy { $0.errno == EMFILE })
      #expect(waitpid(-1, nil, 0) == -1)
    }
  }

  @Test("A loop closed too early says that a child still runs")
  func leak() async throws {
    let names = try await inThread {
      let loop = try Loop()
      let child = try sh(ChildTable(loop: loop), "sleep 1000") { _ in loop.stop() }
      var names: [String] = []
      do throws(LeakedHandles) { try loop.close() } catch { names = error.names }
      child.signalGroup(SIGKILL)
      loop.run()
      try loop.close()
      return names
    }
    #expect(names == ["child process"])
  }

  /// Returns the output of a program.
  private func output(
    of arguments: [String], environment: [String: String] = ["PATH": "/usr/bin:/bin"], directory: String? = nil,
    error: ChildStreams.Output = .inherited
  ) async throws -> String {
    try await play(String.self) { scene in
      let child = Kept()
      child.process = try ChildProcess(
        in: ChildTable(loop: scene.loop), arguments: arguments, environment: try EnvironmentBlock(environment),
        directory: directory,
        output: .pipe, error: error
      ) { _ in scene.finish(child.output) }
    }
  }

  /// Returns why a program can't be started, or nil if it can.
  private func failure(
    _ arguments: [String], environment: [String: String] = [:], directory: String? = nil
  ) async throws -> SpawnError? {
    try await play(SpawnError?.self) { scene in
      do throws(SpawnError) {
        _ = try ChildProcess(
          in: ChildTable(loop: scene.loop), arguments: arguments, environment: try EnvironmentBlock(environment),
          directory: directory
        ) { _ in scene.finish(nil) }
      } catch { scene.finish(error) }
    }
  }

  @Test(
    "A child is ended with SIGTERM, and with SIGKILL after the grace period; without a grace period it is never killed",
    arguments: [
      ("trap 'exit 7' TERM", Duration.seconds(1000) as Duration?, ExitStatus.exited(7)),
      ("trap '' TERM", .milliseconds(20), .signaled(SIGKILL)), ("trap 'sleep 0.1; exit 8' TERM", nil, .exited(8)),
    ])
  func ending(trap: String, grace: Duration?, expected: ExitStatus) async throws {
    let status = try await play(ExitStatus.self) { scene in
      let process = try sh(ChildTable(loop: scene.loop), "\(trap); echo; sleep 1000 & wait; wait") { scene.finish($0) }
      let output = try #require(process.standardOutput)
      let poll = scene.keep(try Poll(loop: scene.loop, descriptor: output, name: "output"))
      try poll.start(.readable) { [unowned poll] _ in
        poll.close()
        process.end(within: grace)
        // A second call has no effect.
        process.end(within: .zero)
      }
    }
    #expect(status == expected)
  }
}

/// Holds a child for its own exit handler.
private final class Kept {
  var process: ChildProcess?
  /// The complete output, which fits into the pipe.
  var output: String { process?.standardOutput?.readToEnd() ?? "" }
}

/// Runs a script, with its output in a pipe.
private func sh(
  _ children: ChildTable, _ script: String, directory: String? = nil, error: ChildStreams.Output = .inherited,
  onExit: @escaping (ExitStatus) -> Void
) throws -> ChildProcess {
  try ChildProcess(
    in: children, arguments: ["/bin/sh", "-c", script], environment: try EnvironmentBlock(["PATH": "/usr/bin:/bin"]),
    directory: directory, output: .pipe, error: error, onExit: onExit)
}
