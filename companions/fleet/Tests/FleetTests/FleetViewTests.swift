import Fleet
import Testing

@Suite("What the keys of a fleet say")
struct FleetViewTests {
  private let keys = FleetKeys(prefix: "/p", fleet: "shop")

  private func record(_ name: String, _ trouble: String? = nil) -> HostRecord {
    var record = HostRecord(host: name, agent: "a", time: 1)
    record.trouble = trouble
    return record
  }

  @Test("Hosts come, change and leave")
  func hosts() throws {
    var view = FleetView(keys)
    let first = record("web-1")
    let second = record("web-1", "no supervisor")
    let key = keys.host("web-1")
    let changes = [
      view.update(key, first.json()), view.update(key, first.json()), view.update(key, second.json()),
    ]
    #expect(changes == [.host(first), nil, .host(second)])
    #expect(view.sortedHosts == [second])
    let ends = [view.update(key, nil), view.update(key, nil)]
    #expect(ends == [.left("web-1"), nil])
    #expect(view.hosts.isEmpty)
  }

  @Test("The candidate whose key was created first leads")
  func leaders() throws {
    var view = FleetView(keys)
    let a = keys.candidate("billing", lease: 255)
    let b = keys.candidate("billing", lease: 1)
    let elections = [
      view.update(b, CandidateRecord(host: "b").json(), created: 9),
      view.update(a, CandidateRecord(host: "a").json(), created: 7),
    ]
    #expect(elections == [.leader(of: "billing", "b"), .leader(of: "billing", "a")])
    #expect(view.leaders.map(\.leader.host) == ["a"])
    #expect(view.leaders.map(\.leader.created) == [7])
    let ends = [view.update(a, nil), view.update(b, nil)]
    #expect(ends == [.leader(of: "billing", "b"), .leader(of: "billing", nil)])
    #expect(view.leaders.isEmpty)
  }

  @Test("Names with slashes and names that begin alike are kept apart, and so are fleets")
  func separation() throws {
    #expect(!keys.order("web-10").hasPrefix(keys.order("web-1")))
    #expect(!keys.candidate("a/b", lease: 1).hasPrefix(keys.candidates("a")))
    #expect(FleetKeys(prefix: "/p", fleet: "shop/eu").hosts.hasPrefix(keys.hosts) == false)
    var view = FleetView(keys)
    let foreign = view.update(FleetKeys(prefix: "/p", fleet: "other").host("x"), record("x").json())
    #expect(foreign == nil)
    // The keys about hosts and leaders are neighbours, and no other key is between their ends.
    for key in [keys.host("~"), keys.candidate("~", lease: 1)] { #expect(key < keys.endOfStates) }
    for key in [keys.once, keys.order("a")] { #expect(key > keys.endOfStates) }
  }

  @Test("Values of an unknown form, and names that don't fit the key, are ignored")
  func nonsense() throws {
    var view = FleetView(keys)
    let changes = [
      view.update(keys.host("x"), Array("{".utf8)), view.update(keys.host("x"), record("y").json()),
      view.update(keys.candidate("l", lease: 1), Array("[]".utf8)),
      view.update(keys.host("x y"), record("x").json()),
    ]
    #expect(changes == [nil, nil, nil, nil])
    #expect(view.hosts.isEmpty && view.leaders.isEmpty)
  }

  @Test("A view that was read again reports what has changed since the last one")
  func differences() throws {
    var old = FleetView(keys)
    var new = FleetView(keys)
    for name in ["a", "b", "c"] { _ = old.update(keys.host(name), record(name).json()) }
    _ = old.update(keys.candidate("l", lease: 1), CandidateRecord(host: "a").json(), created: 1)
    for name in ["b", "d"] { _ = new.update(keys.host(name), record(name).json()) }
    _ = new.update(keys.host("c"), record("c", "lost").json())
    #expect(
      new.changes(since: old) == [
        .left("a"), .host(record("c", "lost")), .host(record("d")), .leader(of: "l", nil),
      ])
    #expect(new.changes(since: new).isEmpty)
    #expect(new.changes(since: nil) == [.host(record("b")), .host(record("c", "lost")), .host(record("d"))])
  }
}
