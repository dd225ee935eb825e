internal import EventLoop
internal import Glibc
internal import InitProcesses
internal import Platform

// ``ChildProcess`` isn't used, because it starts a new session, which has no terminal. This process stays in our process group, so a
// terminal treats the two as one job: ^C, ^\ and ^Z reach both. Invariants:
//
// 1. The process has our standard streams, terminal, group, environment and ignored signals (e.g. from `nohup`). Otherwise it has default
//    dispositions, an empty signal mask, and only the standard streams as descriptors (all others close on exec).
// 2. Every forwardable signal that we get is forwarded to the process (``ForwardableSignals``), unless a terminal sent the signal to its
//    foreground job: then the command has got it too. ^Z and `kill -TSTP` stop only us.
// 3. We outlive it: no signal that can be caught ends us, and we exit with its status.

/// A command that runs in the foreground if we do.
final class ForegroundProcess {
  private var pid: pid_t = 0
  private var status: ExitStatus?
  private var waiter: CheckedContinuation<ExitStatus, Never>?
  private var sources: [SignalSource] = []

  /// Starts it.
  ///
  /// A name without a slash is searched for in PATH.
  ///
  /// - Throws: `SpawnError` if it can't be started, `SystemError` if it can't be watched.
  init(loop: Loop, arguments: [String]) throws {
    // Watches first, so neither the exit nor a signal is missed.
    sources.append(try SignalSource(loop: loop, signal: SIGCHLD) { [weak self] in self?.childChanged() })
    for number in ForwardableSignals.notIgnored where ![SIGTSTP, SIGXFSZ].contains(number) {
      sources.append(try SignalSource(loop: loop, signal: number) { [weak self] in self?.forward(number) })
    }
    // SIGXFSZ is for us: a message exceeded `ulimit -f`. The message is lost, but no process ends.
    sources.append(try SignalSource(loop: loop, signal: SIGXFSZ) {})
    pid = try ForegroundProcess.spawn(arguments)
  }

  /// Waits until the process exits.
  ///
  /// This must be called only once.
  func untilExit() async -> ExitStatus {
    if let status { return status }
    return await withCheckedContinuation { waiter = $0 }
  }

  private func childChanged() {
    var code: Int32 = 0
    guard status == nil, pid > 0, waitpid(pid, &code, WNOHANG) == pid else { return }
    let status = ExitStatus(waitStatus: code)
    self.status = status
    waiter?.resume(returning: status)
    waiter = nil
  }

  private func forward(_ number: Int32) {
    guard pid > 0, status == nil else { return }
    if ForegroundProcess.sentByTerminal.contains(number), ForegroundProcess.isTerminalsForeground { return }
    kill(pid, number)
  }

  /// The signals that a terminal, or a shell that continues a job, sends to the whole job.
  private static let sentByTerminal: Set<Int32> = [SIGINT, SIGQUIT, SIGWINCH, SIGCONT]

  private static var isTerminalsForeground: Bool {
    [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { tcgetpgrp($0) == getpgrp() }
  }

  private static func spawn(_ arguments: [String]) throws(SpawnError) -> pid_t {
    let program = arguments.first ?? ""
    guard !program.isEmpty, arguments.allSatisfy({ !$0.utf8.contains(0) }) else {
      throw SpawnError(call: .arguments, errno: EINVAL, program: program)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // We ignore the signal; if our parent ignored it, it stays ignored.
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let argv = arguments.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var pid = pid_t()
    let error = posix_spawnp(&pid, program, nil, &attributes, argv, ProcessEnvironment.strings)
    guard error == 0 else {
      let call: SpawnError.Call = error == ENOENT || error == ENOTDIR ? .find : .execute
      throw SpawnError(call: call, errno: error, program: program)
    }
    return pid
  }
}
