internal import Glibc
internal import Platform

/// The reason why a program can't be started: the step that failed, and the system's reason.
public struct SpawnError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The steps of starting a program.
  public enum Call: Equatable, Sendable {
    /// The arguments, environment or directory can't be passed: there is no argument, one contains NUL (EINVAL), or memory is exhausted
    /// (ENOMEM).
    case arguments
    /// A pipe for the output of the child.
    case pipe
    /// Creating the process.
    case clone
    /// Entering the child's working directory.
    case changeDirectory
    /// Setting the child's resource limits.
    case setLimits
    /// Setting the child's niceness.
    case setPriority
    /// Becoming the child's user, which `user` names.
    case changeUser
    /// Finding the program: at its path, or in the PATH of its environment.
    case find
    /// Executing the program; ENOENT means that its interpreter is missing.
    case execute
    /// Watching the child, which has then been killed.
    case watch
  }

  /// The step that failed.
  public let call: Call
  /// The system's error number, positive.
  public let errno: Int32
  /// The program's name or path, as given.
  public let program: String
  /// The working directory, as given.
  public let directory: String?
  /// The user, as given; if it is unknown, also what is wrong and what to do.
  public let user: String?

  /// Creates a failure at a step.
  public init(call: Call, errno: Int32, program: String, directory: String? = nil, user: String? = nil) {
    self.call = call
    self.errno = errno
    self.program = program
    self.directory = directory
    self.user = user
  }

  /// Whether the program doesn't exist: a shell then uses exit status 127, and 126 for other failures.
  public var isNotFound: Bool { call == .find && (errno == ENOENT || errno == ENOTDIR) }

  /// A text that says what happened, why, and what to do.
  public var description: String {
    let reason = SystemError.reason(of: errno)
    let start = "cannot start \(program.isEmpty ? "a program" : program): "
    switch (call, errno) {
    case (.arguments, ENOMEM): return start + "no memory for its arguments and environment: \(reason)"
    case (.arguments, _): return start + "the command is empty, or an argument, the environment or a path contains NUL"
    case (.pipe, _): return start + "no pipe for its output: \(reason)"
    case (.changeDirectory, _):
      return start + "its working directory \(directory ?? ""): \(reason); create it or choose another"
    case (.setLimits, EPERM):
      return start
        + "its limits are above those of initd, which only root may exceed; write lower limits, or start initd as root"
    case (.setLimits, _): return start + "its limits can't be set: \(reason)"
    case (.setPriority, EACCES), (.setPriority, EPERM):
      return start + "only root may lower nice; write a higher number, or start initd as root"
    case (.setPriority, _): return start + "its niceness can't be set: \(reason)"
    case (.changeUser, EPERM):
      return start + "only root may start it as the user \(user ?? ""); start initd as root, or remove user"
    case (.changeUser, ENOENT): return start + (user ?? reason)
    case (.changeUser, _): return start + "it can't run as the user \(user ?? ""): \(reason)"
    case (.find, ENOENT) where !program.contains("/"):
      return start + "there is no such program in its PATH; install it or give its full path"
    case (.find, ENOENT): return start + "there is no such file; install it or correct the path"
    case (.find, EACCES), (.execute, EACCES):
      return start + "not permitted to execute it; make it executable (chmod +x)"
    case (.execute, ENOENT): return start + "its interpreter is missing; check its first line"
    case (.execute, ENOEXEC):
      return start + "it is neither a program for this machine nor a script; start scripts with #!/bin/sh"
    case (.execute, E2BIG): return start + "its arguments and environment are too long; pass less"
    case (.clone, EAGAIN): return start + "too many processes; raise the limit or run fewer"
    case (.watch, _): return start + "it can't be watched: \(reason)"
    case (.find, _), (.execute, _), (.clone, _): return start + reason
    }
  }
}
