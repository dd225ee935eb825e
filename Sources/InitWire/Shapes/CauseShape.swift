/// Why a run failed (protocol §3, S2).
public enum CauseShape: Sendable, Equatable {
  /// It reported an error.
  case error(message: String)
  /// Its command exited with a status other than 0.
  case exit(status: Int)
  /// Its command was ended by a signal: its name, `SIGKILL` say.
  case signal(String)
  /// It took longer than that many seconds.
  case timeout(after: Double)
  /// Its worker went away.
  case workerLost
  /// Its program can't be started.
  case notFound(message: String)
  /// A kind of cause that a later version added; the error's message tells it in words.
  case unknown(kind: String)
}

extension CauseShape: Shape {
  /// The words of `kind`.
  private enum Kind: String, WireWord { case error, exit, signal, timeout, workerLost, notFound }

  /// A blank, to read into.
  package init() { self = .workerLost }

  private var kind: Word<Kind> {
    switch self {
    case .error: .known(.error)
    case .exit: .known(.exit)
    case .signal: .known(.signal)
    case .timeout: .known(.timeout)
    case .workerLost: .known(.workerLost)
    case .notFound: .known(.notFound)
    case .unknown(let kind): .unknown(kind)
    }
  }

  /// The message, or the signal's name.
  private var text: String {
    switch self {
    case .error(let text), .notFound(let text), .signal(let text): text
    case .exit, .timeout, .workerLost, .unknown: ""
    }
  }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    var kind = kind
    try json.required("kind", &kind)
    var text = text
    switch kind {
    case .known(.error):
      text = json.detail.cut(text)
      try json.required("message", &text)
      self = .error(message: text)
    case .known(.notFound):
      text = json.detail.cut(text)
      try json.required("message", &text)
      self = .notFound(message: text)
    case .known(.signal):
      try json.required("signal", &text)
      self = .signal(text)
    case .known(.exit):
      var status = if case .exit(let status) = self { status } else { 0 }
      try json.required("status", &status)
      self = .exit(status: status)
    case .known(.timeout):
      var after = if case .timeout(let after) = self { after } else { 0.0 }
      try json.required("after", &after)
      self = .timeout(after: after)
    case .known(.workerLost): self = .workerLost
    case .unknown(let word): self = .unknown(kind: word)
    }
  }
}
