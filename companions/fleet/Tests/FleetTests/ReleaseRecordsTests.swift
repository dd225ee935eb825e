import Fleet
import Testing

@Suite("Which releases may be forgotten")
struct ReleaseRecordsTests {
  private let keys = FleetKeys(prefix: "/p", fleet: "shop")

  /// Returns a key of an initializer that runs once.
  private func key(
    _ kind: KeyPath<FleetKeys.OnceKeys, String>, of initializer: String = "migrate", _ release: String, at revision: Int
  ) -> ReleaseRecords.Key {
    let claim = ClaimRecord(host: "web-1", owner: "x").json()
    return ReleaseRecords.Key(
      keys.once(initializer, release: release)[keyPath: kind], claim, created: revision, modified: revision)
  }

  private func host(_ name: String, _ release: String?, trouble: String? = nil) -> HostRecord {
    var record = HostRecord(host: name, agent: "a", time: 1)
    record.release = release
    record.trouble = trouble
    return record
  }

  @Test("The releases are in the order of their last records, and the newest stay")
  func order() {
    let records = ReleaseRecords(
      keys,
      [
        key(\.done, "v2", at: 9), key(\.done, "v10", at: 4), key(\.failed, "v9", at: 6),
        key(\.done, of: "seed", "v10", at: 7), key(\.done, "v1", at: 2),
      ])
    #expect(records.releases == ["v2", "v10", "v9", "v1"])
    #expect(records.surplus(keeping: 2, [host("a", "v2")]) == ["v9", "v1"])
    #expect(records.surplus(keeping: 4, [host("a", "v2")]) == [])
    #expect(records.initializers(of: "v10").map(\.name) == ["migrate", "seed"])
    #expect(records.initializers(of: "v9").map(\.records) == [[keys.once("migrate", release: "v9").failed: 6]])
  }

  @Test("A release that a host has isn't deleted, however old it is")
  func used() {
    let records = ReleaseRecords(keys, [key(\.done, "v2", at: 9), key(\.done, "v1", at: 2)])
    let hosts = [host("b", "v1"), host("a", "v1"), host("c", "v2")]
    #expect(records.surplus(keeping: 1, hosts) == [])
    #expect(records.reason(toKeep: "v1", hosts) == .used(hosts: ["a", "b"]))
    #expect(records.reason(toKeep: "v1", [host("c", "v2")]) == nil)
  }

  @Test("A host whose release isn't known yet may have any, and one without such initializers has none")
  func unknown() {
    let records = ReleaseRecords(keys, [key(\.done, "v2", at: 9), key(\.done, "v1", at: 2)])
    let starting = [host("a", nil, trouble: "the agent has just started")]
    #expect(records.surplus(keeping: 1, starting) == [])
    #expect(records.reason(toKeep: "v1", starting) == .unknown(hosts: ["a"]))
    #expect(records.surplus(keeping: 1, [host("a", nil)]) == ["v1"])
  }

  @Test("A held claim can't be overruled")
  func claimed() {
    let records = ReleaseRecords(
      keys, [key(\.done, "v2", at: 9), key(\.done, "v1", at: 2), key(\.claim, of: "seed", "v1", at: 3)])
    let reason = records.reason(toKeep: "v1", [host("a", "v1")])
    #expect(reason == .claimed(initializer: "seed", host: "web-1"))
    #expect(reason?.mayBeForced == false)
    #expect(ReleaseRecords.Reason.used(hosts: ["a"]).mayBeForced)
    #expect(records.surplus(keeping: 1, []) == [])
    // The claim isn't deleted: only records are.
    #expect(records.initializers(of: "v1").map(\.name) == ["migrate"])
  }

  @Test("Keys of an unknown form and of other fleets are left out")
  func strangers() {
    let other = FleetKeys(prefix: "/p", fleet: "shop2")
    let names = [
      keys.once + "v1 migrate", keys.once + "v1 migrate done more", keys.once + "v1 migrate later",
      other.once("migrate", release: "v1").done, keys.host("a"),
    ]
    let records = ReleaseRecords(keys, names.map { ReleaseRecords.Key($0, [], created: 1, modified: 1) })
    #expect(records.releases == [])
  }
}
