import Fleet
import Testing

@Suite("What is known of initializers that run once for a release")
struct OnceStatusTests {
  private static let keys = FleetKeys(prefix: "/p", fleet: "shop")

  private static let once: [OnceStatus] = {
    let (old, new) = (keys.once("migrate", release: "v1"), keys.once("migrate", release: "v2"))
    let failure = FailureRecord(host: "a", time: 1, fence: 4, message: "exit status 3")
    let done = DoneRecord(host: "a", time: 2, fence: 3, output: nil, isSecret: false)
    let entries = [
      (old.done, done.json(), 5), (new.claim, ClaimRecord(host: "b", owner: "b-1", progress: "40 %").json(), 9),
      (new.failed, failure.json(), 8),
      (keys.once("seed", release: "v2").claim, ClaimRecord(host: "b", owner: "b-2").json(), 10),
      (keys.once("warm", release: "v2").failed, failure.json(), 7), (keys.once + "v2 migrate", [], 1),
    ]
    return OnceStatus.list(entries.map { (key: $0.0, value: $0.1, created: $0.2) }, keys)
  }()

  @Test("A failure counts unless a host runs it again")
  func states() {
    let words = Self.once.map {
      "\($0.initializer) \($0.release) \($0.state) \($0.host) \($0.fence) \($0.message ?? "-")"
    }
    #expect(
      words == [
        "migrate v1 complete a 3 -", "migrate v2 running b 9 40 %", "seed v2 running b 10 -",
        "warm v2 failed a 4 exit status 3",
      ])
  }

  @Test("A host that waits is told of the run in its release, whose progress isn't in its record")
  func waiting() {
    var host = HostRecord(host: "c", agent: "x", time: 1)
    #expect(host.explained(by: Self.once).waiting == nil)
    host.release = "v2"
    // The last entry is from an agent of an earlier edition.
    host.waiting = ["migrate", "seed", "warm", "index (runs on b: 7 %)"]
    #expect(
      host.explained(by: Self.once).waiting == [
        "migrate (runs on b: 40 %)", "seed (runs on b)", "warm", "index (runs on b: 7 %)",
      ])
    host.release = "v1"
    #expect(host.explained(by: Self.once).waiting == host.waiting)
  }

  @Test("A host that has the claim runs the initializer, even if its record says that it waits")
  func ownRun() {
    var host = HostRecord(host: "b", agent: "x", time: 1)
    host.release = "v2"
    host.running = ["index"]
    host.waiting = ["migrate", "warm"]
    let explained = host.explained(by: Self.once)
    #expect(explained.running == ["index", "migrate"])
    #expect(explained.waiting == ["warm"])
    host.waiting = ["seed"]
    #expect(host.explained(by: Self.once).progress(to: .launch) == .waiting("index, seed are running"))
  }
}
