/// The records of a fleet's releases, as a value: it decides which of them may be deleted.
///
/// When the records of a release are deleted, its initializers run again if it is deployed again.
package struct ReleaseRecords: Sendable {
  /// A key of a fleet in etcd.
  package struct Key: Sendable {
    package var name: String
    package var value: [UInt8]
    /// The revision at which the key was created.
    package var created: Int
    /// The revision of the key's last change.
    package var modified: Int

    package init(_ name: String, _ value: [UInt8], created: Int, modified: Int) {
      self.name = name
      self.value = value
      self.created = created
      self.modified = modified
    }
  }

  /// The records of an initializer, for a release.
  package struct Initializer: Sendable, Hashable {
    package let name: String
    /// The key of a claim: while it exists, the records stay.
    package let claim: String
    /// The keys of the records, with the revisions at which they were created.
    package fileprivate(set) var records: [String: Int] = [:]
    /// The host that has the claim, if there is one.
    fileprivate var holder: String?
  }

  /// Why the records of a release stay.
  package enum Reason: Sendable, Hashable {
    /// This host has the claim of the initializer.
    case claimed(initializer: String, host: String)
    /// These hosts use the release.
    case used(hosts: [String])
    /// These hosts may use the release: their release isn't known yet.
    case unknown(hosts: [String])

    /// Whether the user may overrule it.
    package var mayBeForced: Bool {
      switch self {
      case .claimed: false
      case .used, .unknown: true
      }
    }
  }

  private var all: [String: [String: Initializer]] = [:]
  /// The revision of the last change of each release's records.
  private var changes: [String: Int] = [:]

  /// Reads all keys about initializers that run once; others are left out.
  package init(_ keys: FleetKeys, _ entries: some Sequence<Key>) {
    for entry in entries {
      guard let words = keys.words(of: entry.name, after: keys.once), words.count == 3 else { continue }
      let (release, name) = (words[0], words[1])
      let known = keys.once(name, release: release)
      var initializer = all[release]?[name] ?? Initializer(name: name, claim: known.claim)
      switch entry.name {
      case known.claim: initializer.holder = ClaimRecord(json: entry.value)?.host ?? "another host"
      case known.done, known.failed: initializer.records[entry.name] = entry.created
      default: continue
      }
      all[release, default: [:]][name] = initializer
      changes[release] = max(changes[release] ?? 0, entry.modified)
    }
  }

  /// The releases, in the order of the last change of their records, the newest first.
  package var releases: [String] { changes.sorted { $0.value > $1.value }.map(\.key) }

  /// Returns the initializers of a release that have records.
  package func initializers(of release: String) -> [Initializer] {
    (all[release] ?? [:]).values.filter { !$0.records.isEmpty }.sorted { $0.name < $1.name }
  }

  /// Returns why the records of a release stay; nil if they may be deleted.
  package func reason(toKeep release: String, _ hosts: some Collection<HostRecord>) -> Reason? {
    let claimed = (all[release] ?? [:]).values.filter { $0.holder != nil }.min { $0.name < $1.name }
    if let claimed, let holder = claimed.holder { return .claimed(initializer: claimed.name, host: holder) }
    let users = hosts.filter { $0.release == release }.map(\.host).sorted()
    if !users.isEmpty { return .used(hosts: users) }
    // The agent has just started, or hasn't seen its supervisor yet.
    let unknown = hosts.filter { $0.release == nil && $0.trouble != nil }.map(\.host).sorted()
    return unknown.isEmpty ? nil : .unknown(hosts: unknown)
  }

  /// Returns the releases whose records may be deleted if the newest `count` stay.
  package func surplus(keeping count: Int, _ hosts: some Collection<HostRecord>) -> [String] {
    releases.dropFirst(count).filter { reason(toKeep: $0, hosts) == nil }
  }
}
