internal import Glibc
internal import InitProcesses

/// The action of a signal in a program that has restored the terminal: the same as if it had not caught the signal.
enum OwnSignals {
  /// The signals that would end the process.
  static var ending: [Int32] {
    ForwardableSignals.notIgnored.filter { ![SIGTSTP, SIGWINCH, SIGCONT, SIGURG].contains($0) }
  }

  /// Stops the process as ^Z does, and returns when it is continued.
  ///
  /// If no process could continue it, the system ignores the signal, as for every process.
  static func suspend() {
    var before = sigaction()
    var standard = sigaction()
    standard.__sigaction_handler.sa_handler = SIG_DFL
    sigaction(SIGTSTP, &standard, &before)
    raise(SIGTSTP)
    sigaction(SIGTSTP, &before, nil)
  }

  /// Ends the process by a signal, as its parent process expects.
  static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    raise(number)
    _exit(128 + number)
  }
}
