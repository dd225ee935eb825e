package import InitJSON

/// The contents of a worker's answer to a run: its output, and its CPU time (protocol §6).
package struct RunAnswer: Sendable {
  /// The output; nil for none.
  package let output: RunOutput?
  /// The CPU time in seconds; nil if the worker doesn't know it.
  package let cpu: Double?

  /// An answer.
  package init(output: RunOutput? = nil, cpu: Double? = nil) {
    self.output = output
    self.cpu = cpu
  }

  /// The result of a run that succeeded; without the CPU time if an output almost fills a frame.
  package var result: RawJSON {
    guard let cpu, output.map({ $0.value.bytes.count < Frame.largestPayload / 2 }) ?? true, let number = try? cpu.json()
    else { return output?.result ?? .emptyObject }
    var members = output?.result.members ?? [:]
    members["cpu"] = RawJSON(written: number)
    return .object(members)
  }

  /// Returns the error of a failed run, with the CPU time in its `data`.
  package func error(_ error: WireError) -> WireError {
    guard let cpu, error.detail == nil else { return error }
    return WireError(code: error.code, message: error.message, detail: .cpu(cpu))
  }
}

extension Envelope.Outcome {
  /// The CPU time of a run in seconds, as its worker reports it in the answer; nil if it reports none, or if the value isn't a duration.
  package var cpu: Double? {
    let told: Double? =
      switch self {
      case .result(let value): value["cpu"]?.number
      case .error(let error): if case .cpu(let seconds)? = error.detail { seconds } else { nil }
      }
    return told.flatMap { Rule.seconds.allows($0) ? $0 : nil }
  }
}
