package import Platform

extension Loop {
  /// Checks whether a file exists at a path, following links, and calls `then` once, usually in a later turn: with nil, or with the reason
  /// why there is none, or why the check is impossible.
  ///
  /// The check never blocks the loop, even if the file system doesn't answer.
  package func findFile(_ path: String, then: @escaping (SystemError?) -> Void) {
    performInThread {
      FileIdentity(behind: path) == nil ? SystemError.last("stat", path) : nil
    } then: { result in
      switch result {
      case .success(let error): then(error)
      case .failure(let error): then(error)
      }
    }
  }
}

extension SystemError {
  /// Whether the file system wasn't asked whether the file exists, because there was no thread for it.
  package var isUnasked: Bool { call != "stat" }
}
