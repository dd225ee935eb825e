@preconcurrency import Glibc
import Platform

/// Starts a program without the modules under test, and waits for it.
///
/// Runs a program, and returns its wait status.
@discardableResult
package func run(_ arguments: [String]) throws -> Int32 {
  var pid = pid_t()
  var argv = arguments.map { strdup($0) } + [nil]
  defer { for argument in argv { free(argument) } }
  let failure = posix_spawn(&pid, arguments[0], nil, nil, &argv, environ)
  guard failure == 0 else { throw SystemError(call: "posix_spawn", errno: failure) }
  var status: Int32 = 0
  while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
  return status
}
