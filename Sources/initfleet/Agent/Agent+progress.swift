internal import Etcd
internal import EventLoop
internal import Fleet
internal import InitJSON
internal import InitWire
internal import InitWords

/// The progress of a run that is marked `once`, for the hosts that wait for it.
extension Agent {
  /// The minimum interval between two records of progress.
  private static let pace = Duration.seconds(2)

  /// The supervisor has reported a change of an initializer.
  func handleProgress(of initializer: InitializerShape) {
    guard let run = initializer.run, let own = held[run], initializer.status == .running else { return }
    let text = initializer.reported(since: own.fence)
    let isRecording = own.progress.reported != own.progress.recorded
    held[run]?.progress.reported = text
    if !isRecording, text != own.progress.recorded {
      Task(executorPreference: loop) { await self.recordProgress(of: run) }
    }
  }

  /// Records progress until all that was reported is recorded, or the claim has ended.
  private func recordProgress(of run: Int) async {
    while let own = held[run], own.progress.reported != own.progress.recorded {
      let record = ClaimRecord(host: host, owner: own.owner, progress: own.progress.reported)
      if let value = try? record.json() {
        // If that fails, the next report is recorded.
        _ = try? await etcd.transaction(
          if: [.created(own.keys.claim, at: own.fence)], then: [.put(own.keys.claim, value, lease: own.lease)])
      }
      try? await Task.sleep(for: Self.pace)
      guard isHeld(own, by: run) else { return }
      held[run]?.progress.recorded = own.progress.reported
    }
  }
}

extension InitializerShape {
  /// Returns the report of the initializer's run; nil if there is none yet.
  ///
  /// `fence` is the fencing token of the run.
  fileprivate func reported(since fence: Int) -> String? {
    let beginning = once.map { OnceShape.beginning(release: $0.release, fence: fence) }
    let message = progress?.message == beginning ? nil : progress?.message
    let parts = [progress?.fraction.map { "\(Int(($0 * 100).rounded())) %" }, message].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
