internal import Glibc

/// Names of signals, for messages.
public enum SignalName {
  private static let names: [Int32: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT",
    SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2",
    SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGSTKFLT: "SIGSTKFLT", SIGCHLD: "SIGCHLD",
    SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN", SIGTTOU: "SIGTTOU",
    SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM", SIGPROF: "SIGPROF",
    SIGWINCH: "SIGWINCH", SIGIO: "SIGIO", SIGPWR: "SIGPWR", SIGSYS: "SIGSYS",
  ]

  /// The first real-time signal that programs may use, as in `kill -l`; the C library uses the two before it.
  private static let firstRealTime: Int32 = 34

  /// Returns the name of a signal: `SIGKILL` for 9, `SIGRTMIN+6` for 40, `signal 32` if it has none.
  public static func of(_ number: Int32) -> String {
    if let name = names[number] { return name }
    guard number > firstRealTime else { return number == firstRealTime ? "SIGRTMIN" : "signal \(number)" }
    return "SIGRTMIN+\(number - firstRealTime)"
  }

  /// Returns the number of a signal, from its name in either case, with or without `SIG`, or from its number: `USR1`, `SIGUSR1` and `10`
  /// are the same.
  public static func number(of name: String) -> Int32? {
    let upper = name.uppercased()
    let full = upper.hasPrefix("SIG") ? upper : "SIG\(upper)"
    if let number = Int32(name) { return (1...64).contains(number) ? number : nil }
    return (1...64).first { of($0) == full }
  }
}
