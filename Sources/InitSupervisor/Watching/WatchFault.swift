internal import Glibc
package import Platform

/// Why files can't be watched.
package enum WatchFault: Error, CustomStringConvertible {
  /// A pattern is of too much, for this reason.
  case tooMany(String, of: String, String)
  /// The system refuses a watch.
  case refused(SystemError)

  static func tooMany(_ pattern: String, of thing: Watched, _ why: String) -> WatchFault {
    .tooMany(pattern, of: thing.name, why)
  }

  /// Says what is wrong, and what to do.
  package var description: String {
    switch self {
    case .tooMany(let pattern, let name, let why):
      "cannot watch \(pattern), an input of \(name): \(why); name the files that matter, e.g. src/*.py"
    case .refused(let error):
      switch error.errno {
      case ENOSPC:
        "cannot watch \(error.subject ?? ""): this user has as many watches as the system allows; raise it with sysctl -w fs.inotify.max_user_watches=524288"
      case EMFILE:
        "cannot watch \(error.subject ?? ""): this user has as many inotify instances as the system allows; raise it with sysctl -w fs.inotify.max_user_instances=1024"
      default: "cannot watch \(error.subject ?? ""): \(error.reason)"
      }
    }
  }
}
