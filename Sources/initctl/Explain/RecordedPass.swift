internal import InitClient
internal import InitWire

/// A pass as the supervisor recorded it, and the Status shortly before: it tells which initializers still wait.
struct RecordedPass {
  /// The pass and its runs.
  let pass: PassShape
  /// The Status.
  let status: StatusShape

  /// The time up to which unfinished parts count, in seconds since the Unix epoch: the latest that is known.
  var now: Double {
    pass.runs.reduce(max(status.time, pass.started)) { max($0, $1.started + ($1.duration ?? 0)) }
  }
}

extension Client {
  /// The pass that the options choose.
  ///
  /// - Throws: `MissingPass`, or an error of the client.
  func recordedPass(_ options: PassOptions) async throws -> RecordedPass {
    // The Status comes first. An initializer that starts in between is then both waiting and running, never neither.
    let status = try await status()
    let params = HistoryParams(pass: options.pass, phase: options.phase, inFlight: true)
    let passes = try await history(params).passes
    guard let pass = passes.newest else {
      let known = try await history(HistoryParams(limit: .max, phase: options.phase, summaries: true)).summaries ?? []
      throw MissingPass(options, known: known.filter { $0.instance == nil }.map(\.pass))
    }
    return RecordedPass(pass: pass, status: status)
  }
}

extension [PassShape] {
  /// The newest pass. One in flight is newer than one that has ended, and one that has opened is newer than one that waits for launch.
  var newest: PassShape? {
    self.max { left, right in
      (left.rank, left.pass) < (right.rank, right.pass)
    }
  }
}

extension PassShape {
  fileprivate var rank: Int {
    if duration != nil { return 0 }
    return opened == nil ? 1 : 2
  }
}

/// No pass is as the options say.
struct MissingPass: Error, CustomStringConvertible {
  let description: String

  /// - Parameter known: the numbers of the passes that there are.
  init(_ options: PassOptions, known: [Int]) {
    let known = known.sorted().ranges.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
    }
    description =
      switch (options.pass, options.phase) {
      case (_, let phase?): "no pass of the \(phase.rawValue) phase has started yet"
      case (let pass?, _) where !known.isEmpty:
        "pass \(pass) is unknown or forgotten; use one of these: \(known.joined(separator: ", "))"
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
