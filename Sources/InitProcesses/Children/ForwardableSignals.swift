internal import Glibc

/// The signals that a program can forward to the program that it runs.
public enum ForwardableSignals {
  /// All signals except these: SIGKILL and SIGSTOP, which can't be caught; SIGCHLD; errors of the program itself, including SIGPIPE;
  /// SIGTTIN and SIGTTOU, with which a terminal stops a background process; and the two that the C library uses.
  public static let all: [Int32] = (1...64).filter { !own.contains($0) }

  /// The signals that this process doesn't ignore.
  ///
  /// The program that it runs inherits ignored signals.
  public static var notIgnored: [Int32] { all.filter { !isIgnored($0) } }

  private static let own: [Int32] = [
    SIGKILL, SIGSTOP, SIGCHLD, SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGTTIN,
    SIGTTOU, 32, 33,
  ]

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
