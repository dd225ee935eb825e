internal import Glibc
internal import Platform

extension Seam {
  /// The status of a call of libuv's that may be refused.
  @inline(__always) static func status(_ call: @autoclosure () -> CInt) -> CInt { refuses() ? -Glibc.errno : call() }
}

extension Loop {
  /// In a debug build, has what this loop's thread asks of the system refused at random, as `INITD_REFUSE` says: for the model test. In a release
  /// build, does nothing.
  package func refuseAtRandom() {
    preconditionCurrent()
    Seam.refuseAtRandom()
  }
}
