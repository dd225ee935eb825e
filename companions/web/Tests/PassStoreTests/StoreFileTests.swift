import Foundation
import GRDB
import Passes
import Testing

@testable import PassStore

@Suite("The file of the history")
struct StoreFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func openingError() async -> StoreError? {
    do {
      _ = try await PassStore.open(scratch.path)
      return nil
    } catch {
      return error
    }
  }

  @Test("Only its owner can read it, and it is a write-ahead log that survives a power failure")
  func created() async throws {
    let store = try await PassStore.open(scratch.path)
    _ = try await store.store([.example()])
    for path in [scratch.path, scratch.path + "-wal", scratch.path + "-shm"] {
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }
    let settings = try await store.write { database in
      try ["journal_mode", "synchronous", "auto_vacuum", "foreign_keys"].map {
        try String.fetchOne(database, sql: "PRAGMA \($0)")
      }
    }
    // FULL, and incremental.
    #expect(settings == ["wal", "2", "2", "1"])
  }

  @Test("Everything is there after a kill, without closing")
  func reopened() async throws {
    let store = try await PassStore.open(scratch.path)
    _ = try await store.store([.example()])
    // A copy of the files, as a kill leaves them.
    let copy = try Scratch()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: scratch.path + suffix, toPath: copy.path + suffix)
    }
    #expect(try await PassStore.open(copy.path).passes().count == 1)
  }

  @Test("A file that isn't SQLite's stays as it is")
  func notDatabase() async throws {
    let bytes = Data(String(repeating: "no database\n", count: 1_000).utf8)
    try bytes.write(to: URL(fileURLWithPath: scratch.path))
    #expect(await openingError() == .notDatabase(scratch.path))
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path)) == bytes)
    await #expect(throws: StoreError.notDatabase(scratch.path)) { try await PassStore.read(scratch.path) }
  }

  @Test("A database of another program stays as it is")
  func foreign() async throws {
    try await scratch.connection().write { try $0.execute(sql: "CREATE TABLE pass (id)") }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path))
    #expect(await openingError() == .foreign(scratch.path))
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path)) == bytes)
    await #expect(throws: StoreError.foreign(scratch.path)) { try await PassStore.read(scratch.path) }
  }

  @Test("A database of a newer version is refused")
  func newer() async throws {
    await (try PassStore.open(scratch.path)).close()
    try await scratch.connection().write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')") }
    #expect(await openingError() == .newer(scratch.path))
    await #expect(throws: StoreError.newer(scratch.path)) { try await PassStore.read(scratch.path) }
  }

  @Test("A corrupt database is reported")
  func corrupt() async throws {
    let store = try await PassStore.open(scratch.path)
    _ = try await store.store((1...100).map { .example($0) })
    await store.close()
    let file = try #require(FileHandle(forUpdatingAtPath: scratch.path))
    let size = try file.seekToEnd()
    try file.seek(toOffset: 4096)
    try file.write(contentsOf: Data(repeating: 0xAB, count: Int(size) - 4096))
    try file.close()
    do {
      let damaged = try await PassStore.open(scratch.path)
      _ = try await damaged.store([.example(101)])
      Issue.record("nothing was noticed")
    } catch {
      #expect(error == .corrupt(scratch.path))
    }
  }

  @Test("A reader needs a history that was begun")
  func unprepared() async throws {
    await #expect(throws: StoreError.cannotOpen(scratch.path, reason: "No such file or directory")) {
      try await PassStore.read(scratch.path)
    }
    #expect(FileManager.default.createFile(atPath: scratch.path, contents: nil))
    await #expect(throws: StoreError.unprepared(scratch.path)) { try await PassStore.read(scratch.path) }
    #expect(await openingError() == nil)
    #expect(try await PassStore.read(scratch.path).passes().isEmpty)
  }

  @Test("A symbolic link isn't followed, and a directory isn't a file")
  func links() async throws {
    let other = try Scratch()
    symlink(other.path, scratch.path)
    #expect(
      await openingError() == .cannotOpen(scratch.path, reason: "it is a symbolic link, which isn't followed"))
    #expect(!FileManager.default.fileExists(atPath: other.path))
    unlink(scratch.path)
    mkdir(scratch.path, 0o700)
    #expect(await openingError() == .cannotOpen(scratch.path, reason: "it isn't a regular file"))
  }

  @Test("A directory that everybody can write is refused")
  func exposed() async throws {
    chmod(scratch.directory, 0o1777)
    #expect(await openingError() == .exposed(scratch.path, directory: scratch.directory))
    #expect(!FileManager.default.fileExists(atPath: scratch.path))
    chmod(scratch.directory, 0o700)
    #expect(await openingError() == nil)
  }

  @Test("A directory that is missing")
  func missing() async {
    do {
      _ = try await PassStore.open(scratch.directory + "/no/history.db")
      Issue.record("it was opened")
    } catch {
      #expect("\(error)".contains("\(scratch.directory)/no: No such file or directory"))
    }
  }

  @Test("While the disk is full, nothing is stored; afterwards it goes on")
  func full() async throws {
    let store = try await PassStore.open(scratch.path)
    _ = try await store.store([.example(1)])
    func limit(_ pages: String) async throws {
      _ = try await store.write { try Int.fetchOne($0, sql: "PRAGMA max_page_count = \(pages)") }
    }
    // The least that is possible: the pages that are in use.
    try await limit("1")
    let many = (2...100).map { EndedPass.example($0) }
    await #expect(throws: StoreError.full(scratch.path)) { try await store.store(many) }
    #expect(try await store.passes().count == 1)
    try await limit("1000000")
    #expect(try await store.store(many) == 99)
  }

  @Test("A file that was moved away is noticed")
  func replaced() async throws {
    let store = try await PassStore.open(scratch.path)
    #expect(!store.isReplaced)
    try FileManager.default.moveItem(atPath: scratch.path, toPath: scratch.path + ".old")
    #expect(store.isReplaced)
    _ = try await PassStore.open(scratch.directory + "/other.db")
    try FileManager.default.moveItem(atPath: scratch.directory + "/other.db", toPath: scratch.path)
    #expect(store.isReplaced)
  }

  @Test("Another process that holds the lock for too long is reported")
  func locked() async throws {
    let store = try await PassStore.open(scratch.path, patience: 0.05)
    let other = try scratch.connection()
    let locked = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    async let writing: Void = other.write { _ in
      locked.signal()
      release.wait()
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        locked.wait()
        continuation.resume()
      }
    }
    await #expect(throws: StoreError.locked(scratch.path)) { try await store.store([.example()]) }
    release.signal()
    try await writing
    #expect(try await store.store([.example()]) == 1)
  }
}
