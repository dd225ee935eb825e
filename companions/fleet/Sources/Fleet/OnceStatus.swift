/// An initializer that runs once for a release, in the status of a fleet.
package struct OnceStatus: Encodable, Sendable, Hashable {
  /// The state of the work.
  package enum State: String, Encodable, Sendable {
    /// A host runs the initializer.
    case running
    /// A host has completed the initializer.
    case complete
    /// The initializer has failed on a host, and no host runs it.
    case failed
  }

  package let initializer: String
  package let release: String
  package let state: State
  /// The host that runs the initializer, or has completed it.
  package let host: String
  /// The fencing token of the run.
  package let fence: Int
  /// The progress of the run, or why it has failed.
  package var message: String?
  /// The time of the completion or the failure, in seconds since the Unix epoch.
  package var time: Double?
  /// Whether each host needs a run of its own, because the output is secret; not encoded.
  package var isSecret = false

  private enum CodingKeys: String, CodingKey {
    case initializer, release, state, host, fence, message, time
  }

  /// Reads the keys of a fleet, in the order of releases and names.
  ///
  /// Keys and values of an unknown form are left out.
  package static func list(
    _ entries: [(key: String, value: [UInt8], created: Int)], _ keys: FleetKeys
  ) -> [OnceStatus] {
    let claimed = Set(entries.map(\.key))
    return entries.compactMap { key, value, created in
      guard let words = keys.words(of: key, after: keys.once), words.count == 3 else { return nil }
      let (release, initializer) = (words[0], words[1])
      func status(_ state: State, _ host: String, _ fence: Int, _ message: String?, _ time: Double?) -> OnceStatus {
        OnceStatus(
          initializer: initializer, release: release, state: state, host: host, fence: fence, message: message,
          time: time)
      }
      switch words[2] {
      case "claim": return ClaimRecord(json: value).map { status(.running, $0.host, created, $0.progress, nil) }
      case "done":
        guard let record = DoneRecord(json: value) else { return nil }
        var status = status(.complete, record.host, record.fence, nil, record.time)
        status.isSecret = record.isSecret
        return status
      case "failed":
        guard !claimed.contains(keys.once(initializer, release: release).claim) else { return nil }
        return FailureRecord(json: value).map { status(.failed, $0.host, $0.fence, $0.message, $0.time) }
      default: return nil
      }
    }
  }
}

extension HostRecord {
  /// Returns whether launch has failed here with an initializer that another host runs or has completed: then the agent retries launch.
  package func retriesLaunch(after once: [OnceStatus]) -> Bool {
    guard launch.state == .failed, let initializer = launch.error?.initializer else { return false }
    return once.contains {
      $0.initializer == initializer && $0.release == release && $0.host != host
        && ($0.state == .running || ($0.state == .complete && !$0.isSecret))
    }
  }

  /// Returns the record with the progress of the runs that its initializers wait for.
  ///
  /// The claim is written before the record: an initializer whose claim is this host's doesn't wait any more.
  package func explained(by once: [OnceStatus]) -> HostRecord {
    var record = self
    record.waiting = nil
    for name in waiting ?? [] {
      let run = once.first { $0.state == .running && $0.initializer == name && $0.release == release }
      if let run, run.host == host {
        record.running = (record.running ?? []) + [name]
      } else {
        let explanation = run.map { " (runs on \($0.host)\($0.message.map { ": \($0)" } ?? ""))" } ?? ""
        record.waiting = (record.waiting ?? []) + [name + explanation]
      }
    }
    return record
  }
}
