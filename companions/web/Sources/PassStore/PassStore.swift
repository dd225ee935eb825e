internal import Dispatch
internal import GRDB
internal import Synchronization

/// The history: the passes of supervisors in an SQLite database.
///
/// One or several processes write a history, and others read it at the same time. A reader never waits for a writer (WAL).
public final class PassStore: Sendable {
  /// Bounds how much is kept.
  public struct Limits: Sendable, Equatable {
    /// How long passes are kept.
    public var age: Duration
    /// The maximum number of bytes in use; the write-ahead log comes on top, usually 4 MiB at most.
    public var bytes: Int

    /// Sets the limits.
    public init(age: Duration, bytes: Int) {
      self.age = age
      self.bytes = bytes
    }
  }

  /// The maximum number of passes that a read returns.
  public static let pageLimit = 500
  /// The maximum number of reads at a time, including those that wait; a further read is refused.
  static let readLimit = 16
  /// How long a write waits for a write of another process, in seconds.
  static let patience = 5.0

  let path: String
  private let reader: any DatabaseReader
  /// Nil if this only reads.
  private let writer: DatabasePool?
  private let file: HistoryFile?
  private let reads = Atomic(0)

  private init(_ path: String, reader: any DatabaseReader, writer: DatabasePool?) {
    self.path = path
    self.reader = reader
    self.writer = writer
    file = HistoryFile(at: path)
  }

  /// Opens a history, or creates it.
  public static func open(_ path: String) async throws(StoreError) -> PassStore {
    try await open(path, patience: patience)
  }

  static func open(_ path: String, patience: Double) async throws(StoreError) -> PassStore {
    try await blocking { () throws(StoreError) in try openNow(path, patience) }
  }

  /// Opens a history that exists, only to read it.
  public static func read(_ path: String) async throws(StoreError) -> PassStore {
    try await blocking { () throws(StoreError) in try readNow(path) }
  }

  private static func openNow(_ path: String, _ patience: Double) throws(StoreError) -> PassStore {
    try HistoryFile.create(path)
    do {
      let pool = try DatabasePool(path: path, configuration: configuration(path, patience))
      try pool.writeWithoutTransaction { database in
        // Passes are few, so each can be on the disk when it is in the history. Otherwise a power failure could lose the passes of several
        // days.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA journal_size_limit = 4194304")
      }
      try Schema.migrator.migrate(pool)
      return PassStore(path, reader: pool, writer: pool)
    } catch {
      throw StoreError(error, path)
    }
  }

  private static func readNow(_ path: String) throws(StoreError) -> PassStore {
    try HistoryFile.check(path)
    do {
      var configuration = configuration(path, patience)
      configuration.readonly = true
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      guard try queue.read(Schema.migrator.hasCompletedMigrations) else { throw StoreError.unprepared(path) }
      return PassStore(path, reader: queue, writer: nil)
    } catch {
      throw StoreError(error, path)
    }
  }

  private static func configuration(_ path: String, _ patience: Double) -> Configuration {
    var configuration = Configuration()
    configuration.label = "history"
    configuration.busyMode = .timeout(patience)
    configuration.maximumReaderCount = 2
    configuration.prepareDatabase { database in
      try Schema.check(database, at: path)
      try database.execute(sql: "PRAGMA cache_size = -1024")
      // The pragma has an effect only before the first table is created.
      if !database.configuration.readonly { try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    }
    return configuration
  }

  /// Does work that blocks its thread, on a thread that nothing else waits for.
  private static func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      DispatchQueue(label: "history").async { continuation.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }

  /// Closes the database; its write-ahead log is written back.
  public func close() async {
    try? await Self.blocking { [reader, writer] in
      // The last connection writes the log back; a reader can't.
      writer?.releaseMemory()
      try? reader.close()
    }
  }

  /// Whether another file is at the path now, or none: somebody has moved or deleted this one.
  public var isReplaced: Bool { file == nil || HistoryFile(at: path) != file }

  /// The size of the database and its write-ahead log, in bytes.
  public var bytes: Int { HistoryFile.bytes(path) }

  func write<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value
  ) async throws(StoreError) -> Value {
    guard let writer else { throw .other(path, reason: "it is open only to read") }
    do { return try await writer.write(work) } catch { throw StoreError(error, path) }
  }

  func read<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) async throws(StoreError) -> Value {
    defer { reads.subtract(1, ordering: .relaxed) }
    guard reads.add(1, ordering: .relaxed).newValue <= Self.readLimit else { throw .busy }
    do { return try await reader.read(work) } catch { throw StoreError(error, path) }
  }
}
