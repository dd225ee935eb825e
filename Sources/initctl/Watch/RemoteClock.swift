internal import EventLoop
internal import InitClient
internal import InitText

/// The supervisor's clock, as far as it is known without asking: from a moment of a Status on.
struct RemoteClock: Sendable {
  private let loop: Loop
  private let theirs: Double
  private let ours: Duration

  /// `time` is the time of a Status that has just been received, in seconds since the Unix epoch.
  init(_ time: Double, on loop: Loop) {
    self.loop = loop
    theirs = time
    ours = loop.now
  }

  /// The present, in seconds since the Unix epoch.
  var now: Double { theirs + (loop.now - ours).inSeconds }
}
