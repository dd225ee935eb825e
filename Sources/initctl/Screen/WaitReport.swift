internal import InitWire

/// Why a wait failed, for standard error.
enum WaitReport {
  /// How many lines of a failed command's output are shown.
  static let outputLines = 10

  /// The sentence for a result other than complete.
  static func sentence(_ target: WaitTarget, _ state: StateShape) -> String {
    switch (state.state, state.error, target) {
    case (.known(.cancelled), _, _): "\(target) was cancelled"
    // The error's message already names its initializer.
    case (_, let error?, .initializer(let name)) where name == error.initializer: error.message
    case (_, let error?, .initializer(let name)): "\(name) can't run: \(error.message)"
    case (_, let error?, _): "\(target) failed: \(error.message)"
    case (_, nil, _): "\(target) is \(state.state.rawValue)"
    }
  }

  /// The run that ended with an error; nil if no run did, or if another one has begun since.
  static func run(of error: ErrorShape, in status: StatusShape) -> Int? {
    guard case .initializerFailed = error.reason else { return nil }
    return status.initializers.first { $0.name == error.initializer && $0.error == error }?.run
  }

  /// The last lines of a run, oldest first.
  static func output(of run: Int, in lines: [LogLineShape]) -> [String] {
    lines.filter { $0.run == run }.suffix(outputLines).map { "  " + LogLine.line($0) }
  }

  /// What was still pending at the timeout.
  static func stillWaiting(for target: WaitTarget, _ status: StatusShape) -> [String] {
    var lines: [String] = []
    if [.ready, .active].contains(target), status.lifecycle == .inactive {
      lines.append("  the app is inactive; make it active with initctl activate")
    }
    for initializer in status.initializers where concerns(target, initializer) {
      let elapsed = initializer.elapsed(at: status.time).map { " for \(Phrases.duration($0))" } ?? ""
      let detail = initializer.detail.isEmpty ? "" : ": \(initializer.detail)"
      lines.append(
        "  \(TerminalText.escape(initializer.name)) is \(initializer.status.phrase)\(elapsed)\(detail)")
    }
    return lines
  }

  private static func concerns(_ target: WaitTarget, _ initializer: InitializerShape) -> Bool {
    let isUnderWay = [.known(.running), .known(.stopping), .known(.waiting)].contains(initializer.status)
    return switch target {
    case .state(.launch): isUnderWay && (initializer.phase ?? .known(.launch)) == .launch
    case .state, .pass: isUnderWay
    case .initializer(let name): initializer.name == name || isUnderWay
    }
  }
}
