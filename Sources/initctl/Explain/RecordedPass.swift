internal import InitTimeline
internal import InitWire
internal import InitWords

/// A pass as the supervisor recorded it, and the Status shortly before, which shows the initializers that still wait.
struct RecordedPass {
  /// The pass and its runs.
  let pass: PassShape
  /// The Status.
  let status: StatusShape
  /// Whether it is the newest pass, because none was named.
  let isDefault: Bool

  /// Where the time went.
  var timeline: Timeline { Timeline(pass, status: status) }

  /// Returns what to read if an active pass has nothing to show because launch took all the time; nil if that isn't necessary.
  ///
  /// `command` is the command that explains it.
  func advice(_ command: String) -> String? {
    guard isDefault, pass.phase == .active, pass.runs.isEmpty, timeline.held >= 0.0005 else { return nil }
    return "see the launch: initctl \(command) --phase launch"
  }

  /// Returns the heading for people, in lines that fit the terminal.
  func lines(_ command: String, _ terminal: OutputTerminal) -> [String] {
    [timeline.phrase, advice(command)].compactMap(\.self).flatMap { Paragraph.lines($0, terminal) }
  }
}

extension PassSource {
  /// Returns the pass that the options choose.
  ///
  /// - Throws: `MissingPass`, or an error of the client.
  func recordedPass(_ options: PassOptions) async throws -> RecordedPass {
    // The Status comes first. An initializer that starts in between is then both waiting and running, never neither.
    let status = try await status()
    let passes = try await history(HistoryParams(pass: options.pass, phase: options.phase, inFlight: true)).passes
    guard let pass = passes.max(by: { ($0.rank, $0.pass) < ($1.rank, $1.pass) }) else {
      throw try await missingPass(options.pass, of: options.phase)
    }
    return RecordedPass(pass: pass, status: status, isDefault: options.pass == nil && options.phase == nil)
  }

  /// Returns the error for a pass that isn't known.
  func missingPass(_ pass: Int?, of phase: Phase?) async throws -> MissingPass {
    let known = try await history(HistoryParams(limit: .max, inFlight: true, summaries: true)).summaries ?? []
    return MissingPass(pass, of: phase, known: known.filter { $0.instance == nil }.map(\.pass))
  }
}

extension PassShape {
  /// A pass in flight is newer than one that has ended, and one that has opened is newer than one that waits for launch.
  fileprivate var rank: Int {
    if duration != nil { return 0 }
    return opened == nil ? 1 : 2
  }
}

/// There is no such pass.
struct MissingPass: Error, CustomStringConvertible {
  let description: String

  /// - Parameters:
  ///   - pass: the wanted number.
  ///   - phase: the wanted phase.
  ///   - known: the numbers of all passes that there are.
  init(_ pass: Int?, of phase: Phase?, known: [Int]) {
    let ranges = known.sorted().ranges.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
    }
    description =
      switch (pass, phase) {
      case (let pass?, _) where !known.isEmpty:
        "pass \(pass) is unknown or forgotten; use one of these: \(ranges.joined(separator: ", "))"
      case (nil, let phase?): "no pass of the \(phase.rawValue) phase has started yet"
      default: "no pass has started yet; start one with initctl launch"
      }
  }
}

extension [Int] {
  /// Sorted numbers as ranges without gaps.
  fileprivate var ranges: [ClosedRange<Int>] {
    reduce(into: []) { ranges, number in
      if let last = ranges.last, last.upperBound + 1 >= number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
  }
}
