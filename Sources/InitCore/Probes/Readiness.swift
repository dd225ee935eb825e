/// How the readiness of a process is detected (S32).
package enum Readiness: Hashable, Sendable {
  /// The process is ready as soon as it has started.
  case started
  /// The probe holds.
  ///
  /// `ofOwner` is true if a socket counts only if it belongs to the process or one of its descendants.
  case probe(Probe, ofOwner: Bool)
  /// The process reports its readiness, with `READY=1` of the sd_notify protocol.
  case notification
  /// A complete line of the process's output contains this text, colours aside.
  case line(String)

  /// Returns whether a process that runs can go on with the other readiness.
  ///
  /// A process that reports itself has another environment; one without any is no initializer, unless something depends on it.
  package static func isAlike(_ one: Readiness?, _ other: Readiness?) -> Bool {
    switch (one, other) {
    case (.notification, .notification), (nil, nil), (.started, nil), (nil, .started): true
    case (.notification, _), (_, .notification), (nil, _), (_, nil): false
    case (.started, _), (.probe, _), (.line, _): true
    }
  }
}

extension Readiness: CustomStringConvertible {
  /// A description of the awaited event.
  package var description: String {
    switch self {
    case .started: "started"
    case .probe(let probe, _): "\(probe.target)"
    case .notification: "READY=1"
    case .line(let text): "the line \"\(text)\""
    }
  }
}
