internal import Glibc
internal import Platform

extension Seam {
  /// The status of a libuv call that may be refused.
  @inline(__always) static func status(_ call: @autoclosure () -> CInt) -> CInt { refuses() ? -Glibc.errno : call() }
}

extension Loop {
  /// In a debug build, refuses system calls of this loop's thread at random, as set in `INITD_REFUSE`, for the model test. In a release
  /// build, has no effect.
  package func refuseAtRandom() {
    preconditionCurrent()
    Seam.refuseAtRandom()
  }
}
