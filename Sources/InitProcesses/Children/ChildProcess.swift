internal import CProcesses
internal import EventLoop
internal import Glibc
public import InitWords
public import Platform

// `uv_spawn` of 1.44 isn't used, for two reasons. It forks, which blocks the loop for longer the more memory this process has. It also
// needs SIGCHLD, which other code in the process may use. Instead, there are `CProcesses/spawn.h`, a pidfd, and a watch of it. Invariants:
//
// 1. A child leads its own group, and its own session unless it keeps the terminal. It has default dispositions, an empty mask, and only
// descriptors 0, 1 and 2. If this process is killed, the child dies, and so does its group if there is a guard (ChildGuard.swift).
// 2. The pid can't be reused before we reap the child, so all operations by pid (the group's signals) happen before that.
// 3. When it has exited: look without reaping (WNOWAIT), record the remaining processes of its group, kill them, then reap. In this order
//    the group's number can't have been reused.
// 4. A child object is kept alive until the child has been reaped: no zombie is left, and no exit is missed.
// 5. This code doesn't need SIGCHLD, and never reaps children of other code.

/// A running program.
public final class ChildProcess {
  /// The process id, which is also the id of its group and session.
  ///
  /// Once ``status`` is set, the number may be reused.
  public let pid: Int32
  /// The reading end of the child's standard output, if that is a pipe.
  ///
  /// The stream ends when the child and all processes that inherited its writing end have exited.
  public var standardOutput: Descriptor? { streams.standardOutput }
  /// The reading end of the child's standard error, if that is a pipe; it ends in the same way.
  public var standardError: Descriptor? { streams.standardError }
  /// The exit status, once the process has ended.
  public private(set) var status: ExitStatus?
  /// The resource usage, if the process has ended.
  public private(set) var usage: ResourceUsage?
  /// The CPU time that the process and its descendants have used so far; nil if it is unknown.
  public var cpuTime: Duration? { status == nil ? ProcessTable.cpuTime(ofFamily: pid) : usage?.cpuTime }
  /// The processes of the child's group that were still running when the child exited without having been sent a signal, and were killed;
  /// otherwise empty.
  public private(set) var leftBehind: [LeftProcess] = []

  /// The session and the group of a child.
  public enum Session: Sendable {
    /// A new session and group; the child is killed when the thread that started it ends.
    case session
    /// A new group in our session.
    ///
    /// If we are the foreground group of the terminal at our standard input, that group becomes the foreground. It gets SIGTERM when the
    /// thread that started it ends.
    case foreground
  }

  /// The target of SIGTERM when a child is ended.
  public enum Target: Sendable {
    /// The whole group.
    case group
    /// Only the process itself, which ends its own children.
    case process
  }

  private let children: ChildTable
  private let streams: ChildStreams
  private let pidfd: Descriptor
  private var watch: ReadWatch?
  private var guarded: Int?
  private var wasSignalled = false
  private var ending: ProcessEnd?
  private var onExit: ((ExitStatus) -> Void)?

  /// Starts a program, and creates its descriptors 0 to 2.
  ///
  /// Starts a child; see the other initializer.
  public convenience init(
    in children: ChildTable, arguments: [String], environment: EnvironmentBlock, directory: String? = nil,
    settings: ProcessSettings = ProcessSettings(), input: ChildStreams.Input = .null,
    output: ChildStreams.Output = .inherited, error: ChildStreams.Output = .inherited,
    onExit: @escaping (ExitStatus) -> Void
  ) throws(SpawnError) {
    try self.init(
      in: children, arguments: arguments, environment: environment, directory: directory, settings: settings,
      streams: ChildStreams(in: children, input: input, output: output, error: error), onExit: onExit)
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - children: the children of the loop that reports the child's exit.
  ///   - arguments: the program and its arguments. A name without a slash is searched for in the environment's PATH.
  ///   - environment: the complete environment of the child.
  ///   - directory: the working directory of the child; nil is ours.
  ///   - settings: the user, limits and priority of the child.
  ///   - session: the session and group of the child.
  ///   - streams: creates the child's descriptors 0 to 2; called when the program has been found. They must not be shared with other
  ///     children.
  ///   - onExit: called once, when the child has been reaped and the rest of its group killed; never from within this initializer. The
  ///     pipes may still contain output, and a process that left the group may keep them open.
  /// - Throws: ``SpawnError``; then no process is left.
  public init(
    in children: ChildTable, arguments: [String], environment: EnvironmentBlock, directory: String? = nil,
    settings: ProcessSettings = ProcessSettings(), session: Session = .session,
    streams: @autoclosure () throws(SystemError) -> ChildStreams,
    onExit: @escaping (ExitStatus) -> Void
  ) throws(SpawnError) {
    children.loop.preconditionCurrent()
    let program = arguments.first ?? ""
    guard !program.isEmpty, directory?.utf8.contains(0) != true else {
      throw SpawnError(call: .arguments, errno: EINVAL, program: program, directory: directory)
    }
    let argv: CStringArray
    do { argv = try CStringArray(arguments) } catch {
      throw SpawnError(call: .arguments, errno: error.errno, program: program, directory: directory)
    }
    let user = try ChildProcess.user(settings, program)
    let (search, file) = try ChildProcess.locate(program, environment, directory)
    let made: ChildStreams
    do throws(SystemError) {
      made = try streams()
    } catch {
      throw SpawnError(call: .pipe, errno: error.errno, program: program, directory: directory)
    }
    let guarded = children.childGuard?.slot()
    var pidfd: Int32 = -1
    var step: Int32 = 0
    let (pid, failure) = (directory ?? "").withCString { path in
      var child = process_child()
      child.file = nil
      child.arguments = UnsafePointer(argv.pointers)
      child.environment = UnsafePointer(environment.strings.pointers)
      child.own_pid = environment.takeOwnPid()
      child.directory = directory == nil ? nil : path
      child.streams = made.numbers
      child.death_signal = session == .session ? SIGKILL : SIGTERM
      child.keeps_session = session == .session ? 0 : 1
      child.takes_terminal = session == .foreground && tcgetpgrp(STDIN_FILENO) == getpgrp() ? 1 : 0
      child.descriptors = DescriptorLimit.ofChildren
      child.guarded = guarded.flatMap { children.childGuard?.group(at: $0) }
      return file.withCString { file in
        child.file = file
        return settings.lend(to: &child, user) { child in
          let pid = FaultInjection.refuses() ? -1 : process_spawn(&child, &pidfd, &step)
          return (pid, errno)
        }
      }
    }
    guard pid > 0 else {
      if let guarded { children.childGuard?.release(guarded) }
      throw ChildProcess.diagnose(failure, step, search, program: program, file: file, settings)
    }
    self.pid = pid
    self.pidfd = Descriptor(owning: pidfd)
    self.guarded = guarded
    self.children = children
    self.streams = made
    self.onExit = onExit
    do throws(SystemError) {
      // The closure keeps the child alive, and the child the watch: a cycle that the exit breaks (invariant 4).
      watch = try ReadWatch(loop: children.loop, descriptor: self.pidfd, name: "child process") { [self] in exited() }
    } catch {
      ChildProcess.end(pid)
      leaveGuard()
      throw SpawnError(call: .watch, errno: error.errno, program: program, directory: directory)
    }
    children.add(pid)
    children.killedGroups.remove(pid)
  }

  /// Sends a signal to the process, never to another process that reuses its pid.
  ///
  /// Returns false if the child has ended, or permission is denied.
  @discardableResult
  public func signal(_ number: Int32) -> Bool {
    guard status == nil else { return false }
    return process_pidfd_send_signal(pidfd.number, number) == 0
  }

  /// Whether the child is known to be stopped, by SIGSTOP or by its terminal.
  public var isStopped: Bool { status == nil && ProcessTable.isStopped(pid) }

  /// Sends a signal to its whole group, including descendants that didn't leave the group.
  ///
  /// Returns false if the child has been reaped (then its group was killed), or permission is denied for the whole group.
  @discardableResult
  public func signalGroup(_ number: Int32) -> Bool {
    guard status == nil else { return false }
    wasSignalled = true
    return Glibc.kill(-pid, number) == 0
  }

  /// Ends the child: SIGTERM or another signal, and SIGKILL to its group if the child hasn't exited after `grace`.
  ///
  /// Further calls, and calls after its exit, have no effect.
  ///
  /// - Parameters:
  ///   - target: the processes that get the first signal.
  ///   - first: the first signal; nil for SIGTERM.
  ///   - grace: the time until SIGKILL; nil if the caller uses ``kill()`` instead.
  ///   - beforeKill: called before SIGKILL.
  public func end(
    _ target: Target = .group, by first: Int32? = nil, within grace: Duration?, beforeKill: (() -> Void)? = nil
  ) {
    guard status == nil, ending == nil else { return }
    var isFirst = true
    ending = ProcessEnd(loop: children.loop, within: grace, by: first ?? SIGTERM) { [unowned self] number in
      if !isFirst { beforeKill?() }
      if target == .process, isFirst { signal(number) } else { signalGroup(number) }
      isFirst = false
    }
  }

  /// Kills the child's group at once.
  public func kill() { signalGroup(SIGKILL) }

  /// Handles the end of the leader: the pidfd is readable.
  private func exited() {
    guard status == nil else { return }
    var exit = process_exit()
    let looked = process_wait(pidfd.number, WEXITED | WNOHANG | WNOWAIT, &exit)
    if looked == 0 {
      guard exit.code != 0 else { return }
      // If orphans are adopted, a cheap system call shows whether there are any.
      if !children.adoptsOrphans || process_has_live_child(pid) != 0 {
        if !wasSignalled { leftBehind = ProcessTable.members(ofGroup: pid) }
        if children.adoptsOrphans {
          children.killedGroups = children.killedGroups.filter { Glibc.kill(-$0, 0) == 0 }.union([pid])
        }
      }
      Glibc.kill(-pid, SIGKILL)
      leaveGuard()
    }
    guard looked == 0, process_wait(pidfd.number, WEXITED | WNOHANG, &exit) == 0, exit.code != 0 else {
      return finish(.unknown)
    }
    usage = ResourceUsage(
      userTime: .microseconds(exit.user_microseconds), systemTime: .microseconds(exit.system_microseconds),
      maximumResidentBytes: exit.max_resident_kilobytes * 1024)
    finish(exit.code == CLD_EXITED ? .exited(exit.status) : .signaled(exit.status))
  }

  private func finish(_ status: ExitStatus) {
    self.status = status
    ending?.close()
    ending = nil
    let onExit = onExit
    self.onExit = nil
    watch?.close()
    children.remove(pid)
    leaveGuard()
    if streams.closing == .atExit { streams.close() }
    children.loop.performAtEndOfTurn { [pidfd, streams] in
      pidfd.close()
      streams.close()
    }
    onExit?(status)
    children.onReaped?()
  }

  /// Tells the guard to forget the group, which is empty.
  private func leaveGuard() {
    if let guarded { children.childGuard?.release(guarded) }
    guarded = nil
  }

  /// Ends a child that can't be watched.
  private static func end(_ pid: pid_t) {
    Glibc.kill(-pid, SIGKILL)
    while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
  }

  /// Finds a program in the same way as starting it.
  ///
  /// - Throws: ``SpawnError`` if the program isn't found, or can't be executed.
  package static func find(_ arguments: [String], environment: EnvironmentBlock, directory: String?) throws(SpawnError)
  {
    let program = arguments.first ?? ""
    let (search, file) = try locate(program, environment, directory)
    let reason = search.check(file)
    guard reason != 0 else { return }
    let call: SpawnError.Call = reason == ENOENT || reason == ENOTDIR ? .find : .execute
    throw SpawnError(call: call, errno: reason, program: program, directory: directory)
  }

  private static func locate(
    _ program: String, _ environment: EnvironmentBlock, _ directory: String?
  ) throws(SpawnError) -> (ProgramSearch, file: String) {
    let search = ProgramSearch(path: environment.searchPath, directory: directory)
    do {
      return (search, try search.locate(program))
    } catch {
      // If the directory is unreachable, a relative PATH doesn't find the program either; the directory is the error to report.
      throw directoryError(search, program) ?? error
    }
  }

  /// Converts a step's error; executing an existing program fails with ENOENT if its interpreter is missing.
  private static func diagnose(
    _ failure: Int32, _ step: Int32, _ search: ProgramSearch, program: String, file: String,
    _ settings: ProcessSettings
  ) -> SpawnError {
    let call: SpawnError.Call
    switch process_step(UInt32(step)) {
    case process_step_directory: call = .changeDirectory
    case process_step_limits: call = .setLimits
    case process_step_priority: call = .setPriority
    case process_step_user: call = .changeUser
    case process_step_execute:
      let reason = search.check(file)
      call = reason == ENOENT || reason == ENOTDIR ? .find : .execute
    default: call = .clone
    }
    return SpawnError(
      call: call, errno: failure, program: program, directory: search.directory, user: settings.user?.description)
  }

  /// Returns the numbers of the user that the settings name; nil if they name none.
  private static func user(_ settings: ProcessSettings, _ program: String) throws(SpawnError) -> Accounts.User? {
    guard let name = settings.user else { return nil }
    do throws(Accounts.UnknownUser) {
      return try Accounts.find(name)
    } catch {
      throw SpawnError(
        call: .changeUser, errno: ENOENT, program: program, user: "\(error.problem); \(error.remedy)")
    }
  }

  private static func directoryError(_ search: ProgramSearch, _ program: String) -> SpawnError? {
    let reason = search.checkDirectory()
    guard reason != 0 else { return nil }
    return SpawnError(call: .changeDirectory, errno: reason, program: program, directory: search.directory)
  }
}
