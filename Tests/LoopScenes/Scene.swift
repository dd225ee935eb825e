package import EventLoop
internal import Platform

/// A test on its own loop and thread; it ends with a result.
package final class Scene<Outcome: Sendable> {
  package let loop: Loop
  private var outcome: Outcome?
  private var kept: [AnyObject] = []

  fileprivate init(loop: Loop) { self.loop = loop }

  /// Keeps an object until the end of the scene.
  @discardableResult
  package func keep<Object: AnyObject>(_ object: Object) -> Object {
    kept.append(object)
    return object
  }

  /// Calls `body` after a whole turn of the loop, with its poll and its closed handles.
  ///
  /// A single timer may fire before these.
  package func afterTurn(_ body: @escaping () -> Void) {
    let timer = keep(Timer(loop: loop))
    timer.start(after: .zero) { timer.start(after: .zero, then: body) }
  }

  /// Ends the scene; only the first result counts.
  package func finish(_ outcome: Outcome) {
    if self.outcome == nil { self.outcome = outcome }
    loop.stop()
  }

  /// Handles are closed here, because their callbacks often retain them; a handle that wasn't kept must close itself.
  fileprivate func end() -> Outcome? {
    for object in kept { (object as? any Closable)?.close() }
    kept = []
    return outcome
  }
}

/// An object that a scene closes at its end.
package protocol Closable { func close() }
extension Timer: Closable {}
extension Poll: Closable {}
extension Stream: Closable {}
extension Listener: Closable {}
extension SignalSource: Closable {}

/// A scene ended without a result.
package struct SceneStuck: Error {}

/// Runs a scene: `body` sets it up on the loop's thread.
///
/// Fails if it hangs, or leaves a handle open.
package func play<Outcome: Sendable>(
  _: Outcome.Type = Outcome.self, _ body: @escaping @Sendable (Scene<Outcome>) throws -> Void
) async throws -> Outcome {
  try await inThread { try playHere(body) }
}

/// Runs `body` in a separate thread: a loop blocks SIGPIPE in its thread, and the test's thread is shared.
package func inThread<Outcome: Sendable>(_ body: @escaping @Sendable () throws -> Outcome) async throws -> Outcome {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try PlatformThread.start(name: "test") { continuation.resume(with: Result { try body() }) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}

/// Plays the scene on the calling thread.
package func playHere<Outcome: Sendable>(_ body: (Scene<Outcome>) throws -> Void) throws -> Outcome {
  let loop = try Loop()
  let scene = Scene<Outcome>(loop: loop)
  let guardian = Timer(loop: loop, name: "guardian")
  guardian.start(after: .seconds(300)) { loop.stop() }
  let setUp = Result { try body(scene) }
  if case .success = setUp { loop.run() }
  guardian.close()
  let outcome = scene.end()
  try loop.close()
  try setUp.get()
  guard let outcome else { throw SceneStuck() }
  return outcome
}
