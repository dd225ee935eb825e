/// How long a test waits for what has to come. The limit ends a hopeless test and nothing else: a busy machine must never reach it.
enum Patience {
  static let seconds = 300
  /// How often something is looked at that is looked at every millisecond.
  static let looks = seconds * 1000
}

/// What has to come didn't.
struct Stuck: Error {}
