internal import InitWire

/// How a call has ended: with its answer, or why there is none.
///
/// A `Result` would do too, but for the first copy of one, Swift's runtime searches all conformances of a program for that of `ClientError`.
enum CallOutcome: Sendable {
  case success(RawJSON)
  case failure(ClientError)

  /// The answer.
  ///
  /// - Throws: `ClientError`, if there is none.
  func get() throws(ClientError) -> RawJSON {
    switch self {
    case .success(let answer): return answer
    case .failure(let error): throw error
    }
  }
}
