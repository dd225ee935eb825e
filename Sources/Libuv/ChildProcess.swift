internal import CLibuv
internal import Glibc

// Why not `uv_spawn` of 1.44: it forks, which costs the more the bigger we are, with the loop standing still; and it needs
// SIGCHLD, which others in the process want too. Hence `posix_spawn`, a pidfd, and a poll. The law:
//
// 1. A child leads a session, and so a group, of its own; it has default dispositions, an empty mask, descriptors 0, 1
//    and 2 and no others.
// 2. Its pid is ours until we reap it, and nobody else's; so all that goes by pid (the group's signals) happens before.
// 3. When it has exited: look without reaping (WNOWAIT), kill what is left of its group, then reap. In that order the
//    group's number can't have become a stranger's.
// 4. A child is kept until it has been reaped, whether or not anybody holds it: no zombie is left, no exit missed.
// 5. Nothing here needs SIGCHLD, and no exit of a child that is somebody else's is taken.

/// A running program.
public final class ChildProcess {
  /// Where a child's standard input comes from.
  public enum Input: Sendable {
    /// `/dev/null`, or an empty pipe where there is none: at the end from the start.
    case null
    /// Ours.
    case inherited
  }

  /// Where a child's output goes.
  public enum Output: Sendable {
    /// `/dev/null`.
    case null
    /// Where ours goes.
    case inherited
    /// Into a pipe whose other end we get.
    case pipe
  }

  /// Its process id, and its group's and session's. A number: once ``status`` is there it may be anybody's.
  public let pid: Int32
  /// The end of its standard output to read from, if that is a pipe.
  public let standardOutput: Descriptor?
  /// The end of its standard error to read from, if that is a pipe.
  public let standardError: Descriptor?
  /// How it ended, once it has.
  public private(set) var status: ExitStatus?
  /// What it used, once it has ended.
  public private(set) var usage: ResourceUsage?

  private let poll: Poll
  private var onExit: ((ExitStatus) -> Void)?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - loop: where its exit is told.
  ///   - arguments: the program, and what it is given. A name without a slash is looked for in the environment's PATH.
  ///   - environment: all of its environment.
  ///   - directory: its working directory; nil is ours.
  ///   - input: where its standard input comes from.
  ///   - output: where its standard output goes.
  ///   - error: where its standard error goes.
  ///   - onExit: called once, when it has exited and been reaped and the rest of its group been killed, never from
  ///     within this initializer. Output may still be in the pipes, and a process that left the group may hold them open.
  /// - Throws: ``SpawnError``; no process is left then.
  public init(
    loop: Loop, arguments: [String], environment: EnvironmentBlock, directory: String? = nil, input: Input = .null,
    output: Output = .inherited, error: Output = .inherited, onExit: @escaping (ExitStatus) -> Void
  ) throws(SpawnError) {
    loop.preconditionCurrent()
    let program = arguments.first ?? ""
    guard !program.isEmpty, directory?.utf8.contains(0) != true, let argv = CStringArray(arguments) else {
      throw SpawnError(call: .arguments, errno: EINVAL, program: program, directory: directory)
    }
    let search = ProgramSearch(path: environment.searchPath, directory: directory)
    let file: String
    do {
      file = try search.locate(program)
    } catch {
      // With an unreachable directory a relative PATH finds nothing either; that is the cause to tell.
      throw ChildProcess.directoryError(search, program) ?? error
    }

    var actions = FileActions()
    defer { actions.destroy() }
    let (outputEnd, errorEnd): (Descriptor?, Descriptor?)
    do throws(SystemError) {
      if case .null = input { actions.duplicate(try loop.noInput(), to: 0) }
      outputEnd = try actions.connect(1, output)
      errorEnd = try actions.connect(2, error)
    } catch {
      throw SpawnError(call: .pipe, errno: error.errno, program: program, directory: directory)
    }
    if let directory { actions.changeDirectory(directory) }
    actions.closeOthers()

    var pid = pid_t()
    let failure = actions.spawn(&pid, file, argv, environment)
    guard failure == 0 else {
      throw ChildProcess.diagnose(failure, search, program: program, file: file)
    }
    do throws(SystemError) {
      poll = try ChildProcess.watch(pid, on: loop)
    } catch {
      ChildProcess.end(pid, unless: error)
      throw SpawnError(call: .watch, errno: error.errno, program: program, directory: directory)
    }
    self.pid = pid
    self.standardOutput = outputEnd
    self.standardError = errorEnd
    self.onExit = onExit
    do {
      // The closure holds the child, and the child the poll: a ring that the exit opens (law 4).
      try poll.start(.readable) { [self] _ in exited() }
    } catch {
      ChildProcess.end(pid, unless: error)
      poll.close()
      throw SpawnError(call: .watch, errno: error.errno, program: program, directory: directory)
    }
  }

  /// Sends a signal to the process, and never to another that got its number. False if it has ended, or may not be
  /// signalled by us.
  @discardableResult
  public func signal(_ number: Int32) -> Bool {
    guard status == nil else { return false }
    return clibuv_pidfd_send_signal(poll.descriptor.number, number) == 0
  }

  /// Sends a signal to its whole group: it, and whatever it started that didn't leave the group. False once it has been
  /// reaped (the group has been killed then), or if nobody in the group may be signalled by us.
  @discardableResult
  public func signalGroup(_ number: Int32) -> Bool {
    guard status == nil else { return false }
    return kill(-pid, number) == 0
  }

  /// The pidfd is readable: the leader has exited.
  private func exited() {
    guard status == nil else { return }
    var exit = clibuv_exit()
    let looked = clibuv_wait(poll.descriptor.number, WEXITED | WNOHANG | WNOWAIT, &exit)
    if looked == 0 {
      guard exit.code != 0 else { return }
      kill(-pid, SIGKILL)
    }
    guard looked == 0, clibuv_wait(poll.descriptor.number, WEXITED | WNOHANG, &exit) == 0, exit.code != 0 else {
      return finish(.unknown)
    }
    usage = ResourceUsage(
      userTime: .microseconds(exit.user_microseconds), systemTime: .microseconds(exit.system_microseconds),
      maximumResidentBytes: exit.max_resident_kilobytes * 1024)
    finish(exit.code == CLD_EXITED ? .exited(exit.status) : .signaled(exit.status))
  }

  private func finish(_ status: ExitStatus) {
    self.status = status
    let onExit = onExit
    self.onExit = nil
    poll.close()
    poll.descriptor.close()
    onExit?(status)
  }

  private static func watch(_ pid: pid_t, on loop: Loop) throws(SystemError) -> Poll {
    let number = clibuv_pidfd_open(pid)
    guard number >= 0 else { throw .last("pidfd_open") }
    return try Poll(loop: loop, descriptor: Descriptor(owning: number), name: "child process \(pid)")
  }

  /// Ends a child that can't be watched. With ESRCH it has gone already, its status thrown away by the kernel (SIGCHLD
  /// is ignored): the number may be a stranger's by now.
  private static func end(_ pid: pid_t, unless error: SystemError) {
    guard error.errno != ESRCH else { return }
    kill(-pid, SIGKILL)
    while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
  }

  /// `posix_spawn` tells an error number and not which step it was; the same number can mean three things.
  private static func diagnose(
    _ failure: Int32, _ search: ProgramSearch, program: String, file: String
  ) -> SpawnError {
    if let error = directoryError(search, program) { return error }
    let reason = search.check(file)
    let call: SpawnError.Call = reason == ENOENT || reason == ENOTDIR ? .find : .execute
    return SpawnError(call: call, errno: failure, program: program, directory: search.directory)
  }

  private static func directoryError(_ search: ProgramSearch, _ program: String) -> SpawnError? {
    let reason = search.checkDirectory()
    guard reason != 0 else { return nil }
    return SpawnError(call: .changeDirectory, errno: reason, program: program, directory: search.directory)
  }
}

/// What a child does between its birth and its program, in order.
private struct FileActions {
  private var actions = posix_spawn_file_actions_t()
  /// The ends that are the child's; ours to close after the spawn.
  private var childEnds: [Descriptor] = []

  init() { posix_spawn_file_actions_init(&actions) }

  mutating func destroy() { posix_spawn_file_actions_destroy(&actions) }

  /// Makes `number` lead where `descriptor` does, which must stay open until the spawn.
  mutating func duplicate(_ descriptor: Descriptor, to number: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor.number, number)
  }

  /// Makes `number` lead where `output` says; the end to read from, if it is a pipe.
  mutating func connect(_ number: Int32, _ output: ChildProcess.Output) throws(SystemError) -> Descriptor? {
    switch output {
    case .inherited:
      return nil
    case .null:
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
      return nil
    case .pipe:
      let (read, write) = try Descriptor.pipe()
      duplicate(write, to: number)
      childEnds.append(write)
      return read
    }
  }

  mutating func changeDirectory(_ path: String) { clibuv_spawn_change_directory(&actions, path) }

  mutating func closeOthers() { clibuv_spawn_close_from(&actions, 3) }

  /// 0, or the error number.
  mutating func spawn(
    _ pid: inout pid_t, _ file: String, _ arguments: CStringArray, _ environment: EnvironmentBlock
  ) -> Int32 {
    posix_spawn(
      &pid, file, &actions, FileActions.attributes, arguments.pointers, environment.strings.pointers)
  }

  /// The same for all children.
  nonisolated(unsafe) private static let attributes: UnsafePointer<posix_spawnattr_t> = {
    let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
    attributes.initialize(to: posix_spawnattr_t())
    let status = clibuv_spawn_attributes(attributes)
    precondition(status == 0, "posix_spawnattr: \(SystemError.reason(of: status))")
    return UnsafePointer(attributes)
  }()
}
