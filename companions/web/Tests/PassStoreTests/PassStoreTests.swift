import Foundation
import GRDB
import Passes
import SlowPasses
import Testing

@testable import PassStore

@Suite("The history")
struct PassStoreTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func store(_ passes: EndedPass...) async throws -> PassStore {
    let store = try await PassStore.open(scratch.path)
    _ = try await store.store(passes)
    return store
  }

  @Test("A pass is read as it was stored")
  func whole() async throws {
    var pass = EndedPass.example(3, outcome: .failed)
    pass.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    pass.failure = .init(initializer: "serve", message: "serve failed: exit status 3")
    pass.runs[1].error = "exit status 3"
    pass.runs[1].attempt = 2
    pass.initializers.append(PassedInitializer(name: "later", outcome: "notRun", attempts: 0))
    let store = try await store(pass)
    let entry = try #require(try await store.passes().first)
    #expect((entry.instance, entry.number, entry.phase, entry.outcome) == ("6f0c", 3, .launch, .failed))
    #expect((entry.started, entry.held, entry.duration) == (pass.started, 0.125, 0.75))
    #expect((entry.failedBy, entry.error, entry.concurrency) == ("serve", "serve failed: exit status 3", 4))
    #expect(entry.traceparent == pass.traceparent)
    #expect(entry.criticalPath == ["migrate", "serve"])
    #expect(entry.longest == .init(name: "migrate", running: 0.5))
    let whole = try #require(try await store.passes([entry.id]).first)
    #expect(whole.pass == entry)
    #expect(whole.initializers == pass.initializers.sorted { $0.name < $1.name })
    #expect(whole.path == pass.criticalPath)
    #expect(whole.runs.map(\.initializer) == ["migrate", "serve"])
    #expect(whole.runs.map(\.error) == [nil, "exit status 3"])
    #expect(whole.runs.map(\.waitedFor) == [[], ["migrate"]])
    #expect(whole.runs.map(\.output) == [nil, nil])
    #expect(whole.runs.map(\.started) == pass.runs.map(\.started))
    #expect(whole.runs.map(\.cpu) == [0.25, 0.125])
    #expect(whole.runs.map(\.attempt) == [1, 2])
    #expect(try await store.passes([99, 1, 99]).map(\.pass.id) == [1])
  }

  @Test("A failed run keeps its last lines, each cut to a kilobyte")
  func output() async throws {
    let scratch = try Scratch()
    let store = try await PassStore.open(scratch.path)
    var pass = EndedPass.example(outcome: .failed)
    pass.runs[1].output = ["no such table", "", String(repeating: "x", count: 5000)]
    #expect(try await store.store([pass]) == 1)
    let runs = try #require(try await store.pass(pass.number, of: pass.instance)).runs
    #expect(runs[0].output == nil)
    #expect(runs[1].output == ["no such table", "", String(repeating: "x", count: 1024) + "…"])
  }

  @Test("A pass is written as one JSON object, and read back")
  func json() async throws {
    let store = try await store(.example())
    let whole = try #require(try await store.passes([1]).first)
    let bytes = try JSONEncoder().encode(whole)
    #expect(try JSONDecoder().decode(StoredPass.self, from: bytes) == whole)
    let object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    let members = ["id", "instance", "pass", "phase", "outcome", "initializers", "path", "runs"]
    #expect(members.allSatisfy { object[$0] != nil })
  }

  @Test("The same pass is stored once; passes of two supervisors may have the same number")
  func idempotent() async throws {
    let store = try await store(.example(1), .example(2))
    #expect(try await store.store([.example(1), .example(2), .example(3)]) == 1)
    #expect(try await store.store([.example(1, instance: "77aa")]) == 1)
    #expect(try await store.passes().map { "\($0.instance) \($0.number)" } == ["77aa 1", "6f0c 3", "6f0c 2", "6f0c 1"])
    #expect(try await store.passes([1]).first?.runs.count == 2)
  }

  @Test("Pages, phases and times")
  func pages() async throws {
    let store = try await store()
    _ = try await store.store((1...9).map { .example($0, phase: $0 % 3 == 0 ? .launch : .active) })
    let page = try await store.passes(limit: 4)
    #expect(page.map(\.number) == [9, 8, 7, 6])
    #expect(try await store.passes(limit: 4, before: page.last?.id).map(\.number) == [5, 4, 3, 2])
    #expect(try await store.passes(phase: .launch).map(\.number) == [9, 6, 3])
    #expect(try await store.passes(since: 1_763_672_400 + 800).map(\.number) == [9, 8])
    #expect(try await store.passes(limit: .max).count == 9)
    #expect(try await store.passes(limit: -1).count == 1)
  }

  @Test("The trend of an initializer")
  func trend() async throws {
    let store = try await store(
      .example(1, running: ["a": 0.5, "b": 1]), .example(2, running: ["a": 0.75]),
      .example(3, phase: .active, running: ["b": 2]),
      .example(4, outcome: .failed, running: ["a": 0.25, "b": 3]))
    let trend = try await store.trend(of: "a")
    #expect(trend.map(\.number) == [1, 2, 4])
    #expect(trend.map(\.initializer.running) == [0.5, 0.75, 0.25])
    #expect(trend.map(\.initializer.outcome) == ["complete", "complete", "failed"])
    #expect(trend.map(\.passOutcome) == [.complete, .complete, .failed])
    #expect(trend.allSatisfy { $0.isOnCriticalPath && $0.initializer.name == "a" })
    #expect(try await store.trend(of: "b", limit: 2).map(\.number) == [3, 4])
    #expect(try await store.trend(of: "b", phase: .launch).map(\.number) == [1, 4])
    #expect(try await store.trend(of: "nobody").isEmpty)
    #expect(try await store.initializers() == [.init(name: "a", last: 4), .init(name: "b", last: 4)])
  }

  @Test("Only complete passes in which the same initializers ran are comparable")
  func comparable() async throws {
    let store = try await store()
    #expect(try await store.comparison(of: .init(), last: 20) == nil)
    var skipped = EndedPass.example(6, running: ["a": 6, "b": 0])
    skipped.initializers[1].attempts = 0
    // Everything that ran in it has completed.
    var cancelled = EndedPass.example(3, running: ["a": 3, "b": 1])
    cancelled.outcome = .cancelled
    _ = try await store.store([
      .example(1, running: ["a": 1, "b": 1]), .example(2, running: ["a": 2, "b": 1]),
      cancelled, .example(4, phase: .active, running: ["a": 4, "b": 1]),
      .example(5, running: ["a": 5]), skipped, .example(7, running: ["b": 1, "a": 7]),
    ])
    let found = try #require(try await store.comparison(of: .init(), last: 20))
    #expect(found.pass.number == 7)
    #expect(found.measure.duration == 8)
    #expect(found.measure.parts.map(\.running) == [7, 1])
    #expect(found.measure.parts.map(\.isOnCriticalPath) == [true, true])
    #expect(found.earlier.map(\.duration) == [3, 2])
    #expect(found.earlier.map { $0.parts.map(\.initializer) } == [["a", "b"], ["a", "b"]])
    #expect(try await store.comparison(of: .init(), last: 1)?.earlier.count == 1)
    #expect(try await store.comparison(of: .init(phase: .active), last: 20)?.pass.number == 4)
    #expect(try await store.comparison(of: .init(number: 2), last: 20)?.earlier.map(\.duration) == [2])
    #expect(try await store.comparison(of: .init(number: 3), last: 20) == nil)
    #expect(try await store.comparison(of: .init(supervisor: "6f"), last: 20)?.pass.number == 7)
    #expect(try await store.comparison(of: .init(supervisor: "7"), last: 20) == nil)
    #expect(try await store.comparison(of: .init(since: 1_763_672_400 + 701), last: 20) == nil)
  }

  @Test("An error's text is bounded")
  func cut() async throws {
    var pass = EndedPass.example()
    pass.runs[0].error = String(repeating: "é", count: 100_000)
    #expect(try await store(pass).passes([1]).first?.runs[0].error == String(repeating: "é", count: 512) + "…")
  }

  @Test("Old passes are deleted, with everything of theirs")
  func age() async throws {
    let store = try await store()
    _ = try await store.store((1...20).map { .example($0, instance: $0 < 10 ? "old" : "new", running: ["i\($0)": 1]) })
    let limits = PassStore.Limits(age: .seconds(1_000), bytes: 1 << 40)
    #expect(try await store.prune(to: limits, now: 1_763_672_400 + 2_500) == 14)
    #expect(try await store.passes().map(\.number) == [20, 19, 18, 17, 16, 15])
    #expect(try await store.initializers().map(\.name) == ["i15", "i16", "i17", "i18", "i19", "i20"])
    let counts = try await scratch.connection().read { database in
      try ["part", "step", "run", "name", "supervisor"].map {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)")
      }
    }
    #expect(counts == [6, 6, 6, 6, 1])
    // The newest pass stays, however old it is.
    #expect(try await store.prune(to: limits, now: 9e9) == 5)
    #expect(try await store.passes().map(\.number) == [20])
    #expect(try await store.prune(to: limits, now: 9e9) == 0)
  }

  @Test("The size is bounded: the oldest passes are deleted, and the file shrinks")
  func size() async throws {
    let store = try await store()
    for start in stride(from: 1, to: 400, by: 20) {
      _ = try await store.store(
        (start..<start + 20).map { number in
          var pass = EndedPass.example(number)
          for index in pass.runs.indices { pass.runs[index].error = String(repeating: "x", count: 1_000) }
          return pass
        })
    }
    let bytes = 256 * 1024
    #expect(try await store.prune(to: .init(age: .seconds(1e9), bytes: bytes), now: 0) > 100)
    let kept = try await store.passes(limit: 500)
    #expect(kept.map(\.number) == Array((401 - kept.count...400).reversed()))
    #expect(kept.count > 50)
    await store.close()
    #expect(store.bytes <= bytes)
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "-wal"))
    let again = try await PassStore.open(scratch.path)
    #expect(try await again.prune(to: .init(age: .seconds(1e9), bytes: 1), now: 0) == kept.count - 1)
    #expect(try await again.passes().map(\.number) == [400])
  }

  @Test("A reader sees the history while it is written, and needs no writer")
  func reader() async throws {
    let store = try await store(.example(1))
    let reader = try await PassStore.read(scratch.path)
    #expect(try await reader.passes().count == 1)
    _ = try await store.store([.example(2)])
    #expect(try await reader.passes().count == 2)
    await #expect(throws: StoreError.self) { try await reader.store([.example(3)]) }
    await store.close()
    #expect(try await PassStore.read(scratch.path).passes().count == 2)
  }

  @Test("Two writers lose nothing, and store nothing twice")
  func writers() async throws {
    let stores = [try await PassStore.open(scratch.path), try await PassStore.open(scratch.path)]
    let new = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...50 {
        for store in stores { group.addTask { try await store.store([.example(number), .example(100 + number)]) } }
      }
      return try await group.reduce(0, +)
    }
    #expect(new == 100)
    #expect(try await stores[1].passes(limit: 500).count == 100)
    let check = try await scratch.connection().read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    #expect(check == ["ok"])
  }

  @Test("Too many reads at once are refused")
  func busy() async throws {
    let store = try await store()
    let gate = DispatchSemaphore(value: 0)
    let refused = await withTaskGroup(of: Bool.self) { group in
      for _ in 0...PassStore.readLimit {
        group.addTask {
          do {
            try await store.read { _ in
              gate.wait()
              gate.signal()
            }
            return false
          } catch {
            // No read starts before one is refused.
            gate.signal()
            return error as? StoreError == .busy
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(refused == 1)
    #expect(try await store.passes().isEmpty)
  }
}
