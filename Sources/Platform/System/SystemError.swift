internal import Glibc

/// A failed system call: its name, its subject and the system's reason.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call, by its C name.
  public let call: String
  /// The system's error number, positive, as in `errno.h`.
  public let errno: Int32
  /// The subject of the call, for example a path; nil if it has none.
  public let subject: String?

  /// Creates a failure of `call` with the system's error number `errno`.
  public init(call: String, errno: Int32, subject: String? = nil) {
    self.call = call
    self.errno = errno
    self.subject = subject
  }

  /// The system's text for the error number.
  public var reason: String { SystemError.reason(of: errno) }

  /// The call, its subject and the reason, in the style "cannot X: why".
  public var description: String {
    "cannot \(call)\(subject.map { " \($0)" } ?? ""): \(reason)"
  }

  /// Whether the file doesn't exist.
  package var isAbsence: Bool { errno == ENOENT || errno == ENOTDIR }

  /// Returns the system's text for an error number.
  package static func reason(of number: Int32) -> String { String(cString: strerror(number)) }

  /// Returns a failure of `call` just now in this thread.
  package static func last(_ call: String, _ subject: String? = nil) -> SystemError {
    SystemError(call: call, errno: Glibc.errno, subject: subject)
  }
}
