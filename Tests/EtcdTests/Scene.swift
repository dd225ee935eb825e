import EventLoop
import Platform

/// Runs a test on a loop of its own, in a separate thread.
///
/// Fails if the client leaves a handle open.
func onLoop<Outcome: Sendable>(_ body: @escaping @Sendable (Loop) async throws -> Outcome) async throws -> Outcome {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try PlatformThread.start(name: "test") { continuation.resume(with: Result { try playHere(body) }) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}

private func playHere<Outcome: Sendable>(_ body: @escaping @Sendable (Loop) async throws -> Outcome) throws -> Outcome {
  let loop = try Loop()
  let ending = Ending<Outcome>()
  Task(executorPreference: loop) {
    do {
      ending.outcome = .success(try await body(loop))
    } catch {
      ending.outcome = .failure(error)
    }
    loop.stop()
  }
  loop.run()
  try loop.close()
  guard let outcome = ending.outcome else { throw Unexpected("the test didn't end") }
  return try outcome.get()
}

/// Used on the loop's thread.
private final class Ending<Outcome: Sendable>: @unchecked Sendable {
  var outcome: Result<Outcome, any Error>?
}

/// What a test didn't expect.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What callbacks reported, in order.
final class Told: Sendable {
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func append(_ text: String) { continuation.yield(text) }

  /// The next ones, as soon as there are that many, or one is the end, so that a test fails instead of waiting for more.
  func next(_ count: Int) async -> [String] {
    var found: [String] = []
    var iterator = stream.makeAsyncIterator()
    while found.count < count, found.last?.hasPrefix("end: ") != true, let text = await iterator.next() {
      found.append(text)
    }
    return found
  }

  /// All that weren't taken yet; none can follow.
  func rest() async -> [String] {
    continuation.finish()
    var found: [String] = []
    for await text in stream { found.append(text) }
    return found
  }
}
