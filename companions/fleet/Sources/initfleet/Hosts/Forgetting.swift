internal import Etcd
internal import Fleet

/// Deletes the records of releases.
///
/// `ReleaseRecords` decides what may be deleted; this object deletes it.
@FleetActor struct Forgetting {
  private let fleet: FleetConnection
  let records: ReleaseRecords
  let hosts: [HostRecord]

  /// Initializers in one transaction: each has up to three conditions, and etcd accepts 128.
  private static let batch = 40

  /// Reads the records of the fleet.
  ///
  /// - Throws: `EtcdError`.
  init(_ fleet: FleetConnection) async throws(EtcdError) {
    try await self.init(fleet, try await Self.records(of: fleet))
  }

  private init(_ fleet: FleetConnection, _ records: ReleaseRecords) async throws(EtcdError) {
    self.fleet = fleet
    self.records = records
    // After the records: a host that has joined in the meantime counts.
    hosts = try await FleetFollower(fleet).read().sortedHosts
  }

  private static func records(of fleet: FleetConnection) async throws(EtcdError) -> ReleaseRecords {
    let entries = try await fleet.etcd.list(EtcdRange(prefix: fleet.keys.once)).entries
    return ReleaseRecords(
      fleet.keys,
      entries.map { ReleaseRecords.Key($0.key, $0.value, created: $0.created, modified: $0.modified) })
  }

  /// Deletes the records of a release.
  ///
  /// Returns false if one of the release's initializers was claimed or recorded in the meantime; then some records may be left.
  ///
  /// - Throws: `EtcdError`.
  func forget(_ release: String) async throws(EtcdError) -> Bool {
    let initializers = records.initializers(of: release)
    for start in stride(from: 0, to: initializers.count, by: Self.batch) {
      let part = initializers[start..<min(start + Self.batch, initializers.count)]
      let conditions = part.flatMap { each -> [EtcdCondition] in
        [.absent(each.claim)] + each.records.map { .created($0.key, at: $0.value) }
      }
      let deletions = part.flatMap { $0.records.keys.map(EtcdOperation.delete) }
      let gets = part.flatMap { $0.records.keys.map(EtcdOperation.get) }
      let outcome = try await fleet.etcd.transaction(if: conditions, then: deletions, else: gets)
      // An earlier request may have been executed although its answer was lost.
      guard outcome.succeeded || outcome.found.allSatisfy({ $0 == nil }) else { return false }
    }
    return true
  }

  /// Deletes the records of old releases, and returns these.
  ///
  /// - Throws: `EtcdError`.
  static func keepNewest(_ count: Int, of fleet: FleetConnection) async throws(EtcdError) -> [String] {
    let records = try await records(of: fleet)
    // The hosts may be many.
    guard records.releases.count > count else { return [] }
    let forgetting = try await Forgetting(fleet, records)
    var forgotten: [String] = []
    for release in records.surplus(keeping: count, forgetting.hosts) where try await forgetting.forget(release) {
      forgotten.append(release)
    }
    return forgotten
  }
}
