internal import Glibc
internal import Platform

extension FaultInjection {
  /// Returns the status of a libuv call that may be refused.
  @inline(__always) static func status(_ call: @autoclosure () -> CInt) -> CInt { refuses() ? -Glibc.errno : call() }
}

extension Loop {
  /// Refuses system calls of this loop's thread at random in a debug build, as set in `INITD_REFUSE`, for the model test.
  ///
  /// The call has no effect in a release build.
  package func refuseAtRandom() {
    preconditionCurrent()
    FaultInjection.refuseAtRandom()
  }
}
