/// How a run of an initializer, or a start of a process, has ended, as far as its output is concerned.
package enum OutputEnd {
  case complete, failed
  /// The previous failed run stays.
  case cancelled
}
