public import InitModel
internal import InitTimeline

extension Pass {
  /// Returns where the time of the pass and of each of its initializers went.
  ///
  /// In a pass in flight, unfinished times count up to the moment of `status`; without it, up to the start of the pass.
  public func times(at status: Status? = nil) -> Pass.Times { Pass.Times(timeline(at: status)) }

  /// Returns what explains the duration of the pass, from its opening to the initializer that ended last, in the order of time.
  ///
  /// The shares of the steps add up to the time from the opening to the end. `status` is as for ``times(at:)``.
  public func criticalPath(at status: Status? = nil) -> [CriticalStep] {
    CriticalPath(timeline(at: status)).steps
  }

  private func timeline(at status: Status?) -> Timeline {
    status.map { Timeline(self, status: $0) } ?? Timeline(self, now: started)
  }
}
