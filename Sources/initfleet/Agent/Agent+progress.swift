internal import Etcd
internal import Fleet
internal import InitWire
internal import Libuv

/// The progress of a run that is marked `once`, for the hosts that wait for it.
extension Agent {
  /// How far apart two records of it are at least.
  private static let pace = Duration.seconds(2)

  /// The supervisor has reported a change of an initializer.
  func noteProgress(of initializer: InitializerShape) {
    guard let run = initializer.run, let own = held[run], initializer.status == .running else { return }
    let text = Self.text(initializer, own.fence)
    let isRecording = own.progress.reported != own.progress.recorded
    held[run]?.progress.reported = text
    if !isRecording, text != own.progress.recorded {
      Task(executorPreference: loop) { await self.recordProgress(of: run) }
    }
  }

  private static func text(_ initializer: InitializerShape, _ fence: Int) -> String? {
    let beginning = initializer.once.map { OnceShape.beginning(release: $0.release, fence: fence) }
    let message = initializer.progress?.message
    let parts = [
      initializer.progress?.fraction.map { "\(Int(($0 * 100).rounded())) %" }, message == beginning ? nil : message,
    ]
    let text = parts.compactMap(\.self).joined(separator: ", ")
    return text.isEmpty ? nil : text
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
      held[run]?.progress.recorded = own.progress.reported
    }
  }
}
