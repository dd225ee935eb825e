/// How long a test waits for an expected result.
///
/// The limit only ends a test that hangs: even a busy machine must not reach it.
enum Patience {
  static let seconds = 300
  /// The number of checks, one per millisecond.
  static let looks = seconds * 1000
}

/// An expected result didn't come in time.
struct Stuck: Error {}
