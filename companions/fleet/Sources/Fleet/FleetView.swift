/// The known state of a fleet.
///
/// The caller passes it each key in etcd, and each change of a key.
package struct FleetView: Sendable {
  /// A candidate for a leadership.
  package struct Candidate: Sendable, Hashable {
    /// The name of the host.
    package let host: String
    /// The revision at which the leader's key was created: larger for each later leader.
    package let created: Int
  }

  /// A change that users care about.
  package enum Change: Sendable, Equatable {
    /// A host is new, or its states have changed.
    case host(HostRecord)
    /// The agent of a host has ended, or its lease has.
    case left(String)
    /// Another host leads, or there is no leader.
    case leader(of: String, String?)
  }

  /// The fleet's keys.
  private let keys: FleetKeys
  /// The hosts, by name.
  package private(set) var hosts: [String: HostRecord] = [:]
  /// The candidates of each leadership, by key.
  private var candidates: [String: [String: Candidate]] = [:]

  /// Why a host leaves a fleet, for people.
  package static let reasonOfLeaving = "its agent or its lease has ended, or etcd refuses to record its states"

  /// Creates the view of a fleet about which nothing is known.
  package init(_ keys: FleetKeys) { self.keys = keys }

  /// The hosts, in the order of their names.
  package var sortedHosts: [HostRecord] { hosts.values.sorted { $0.host < $1.host } }

  /// The hosts of each release, sorted by name; hosts whose release isn't known are left out.
  package var releases: [String: [String]] {
    sortedHosts.reduce(into: [:]) { all, host in
      if let release = host.release { all[release, default: []].append(host.host) }
    }
  }

  /// The leaderships with candidates, in the order of their names, and who leads.
  package var leaders: [(leadership: String, leader: Candidate)] {
    candidates.keys.sorted().compactMap { name in leader(of: name).map { (name, $0) } }
  }

  /// Returns the leader: the candidate whose key was created first.
  package func leader(of leadership: String) -> Candidate? {
    candidates[leadership]?.values.min { $0.created < $1.created }
  }

  /// Returns the changes since another view; without one, everything is a change.
  package func changes(since old: FleetView?) -> [Change] {
    var changes: [Change] = (old?.hosts.keys.sorted() ?? []).filter { hosts[$0] == nil }.map { .left($0) }
    changes += sortedHosts.filter { old?.hosts[$0.host] != $0 }.map { .host($0) }
    for name in Set(candidates.keys).union(old?.candidates.keys.map(\.self) ?? []).sorted()
    where leader(of: name) != old?.leader(of: name) {
      changes.append(.leader(of: name, leader(of: name)?.host))
    }
    return changes
  }

  /// Stores the value of a key; `nil` if the key has been deleted.
  ///
  /// `created` is the revision that created the key. Returns the change; nil if nothing has changed, or the key or its value has an unknown
  /// form.
  package mutating func update(_ key: String, _ value: [UInt8]?, created: Int = 0) -> Change? {
    if let words = keys.words(of: key, after: keys.hosts), words.count == 1 { return updateHost(words[0], value) }
    if let words = keys.words(of: key, after: keys.leaders), words.count == 2 {
      return updateCandidate(for: words[0], key, value, created)
    }
    return nil
  }

  private mutating func updateHost(_ name: String, _ value: [UInt8]?) -> Change? {
    guard let value else { return hosts.removeValue(forKey: name).map { _ in .left(name) } }
    guard let record = HostRecord(json: value), record.host == name else { return nil }
    return hosts.updateValue(record, forKey: name) == record ? nil : .host(record)
  }

  private mutating func updateCandidate(
    for leadership: String, _ key: String, _ value: [UInt8]?, _ created: Int
  ) -> Change? {
    let before = leader(of: leadership)
    if let value {
      guard let record = CandidateRecord(json: value) else { return nil }
      candidates[leadership, default: [:]][key] = Candidate(host: record.host, created: created)
    } else {
      candidates[leadership]?[key] = nil
      if candidates[leadership]?.isEmpty == true { candidates[leadership] = nil }
    }
    let now = leader(of: leadership)
    return now == before ? nil : .leader(of: leadership, now?.host)
  }
}
