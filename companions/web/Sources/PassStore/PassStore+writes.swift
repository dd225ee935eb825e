internal import GRDB
public import Passes

extension PassStore {
  /// The number of passes that a transaction deletes: few, so other writers don't wait long for it.
  private static let batch = 8
  /// The maximum number of bytes of an error's text.
  private static let textLimit = 1_024

  /// Adds passes, in one transaction; a pass that is known stays as it is.
  ///
  /// Returns how many were new.
  public func store(_ passes: [EndedPass]) async throws(StoreError) -> Int {
    try await write { database in
      var new = 0
      for pass in passes where try Self.insert(pass, database) { new += 1 }
      return new
    }
  }

  /// Deletes the oldest passes until the limits are kept; the newest pass is always kept.
  ///
  /// `now` is the time, in seconds since the Unix epoch. Returns how many were deleted.
  public func prune(to limits: Limits, now: Double) async throws(StoreError) -> Int {
    let oldest = now - limits.age / .seconds(1)
    var deleted = 0
    while true {
      let batch = try await write { database in try Self.deleteBatch(before: oldest, bytes: limits.bytes, database) }
      deleted += batch
      guard batch > 0 else { return deleted }
    }
  }

  private static func deleteBatch(before oldest: Double, bytes: Int, _ database: Database) throws -> Int {
    let newest = try Int.fetchOne(database, sql: "SELECT max(id) FROM pass") ?? 0
    try database.execute(
      sql: "DELETE FROM pass WHERE id IN (SELECT id FROM pass WHERE started < ? AND id <> ? ORDER BY started LIMIT ?)",
      arguments: [oldest, newest, batch])
    var deleted = database.changesCount
    if deleted == 0, try used(database) > bytes {
      try database.execute(
        sql: "DELETE FROM pass WHERE id IN (SELECT id FROM pass WHERE id <> ? ORDER BY id LIMIT ?)",
        arguments: [newest, batch])
      deleted = database.changesCount
    }
    guard deleted > 0 else { return 0 }
    try database.execute(
      sql: """
        DELETE FROM supervisor WHERE NOT EXISTS (SELECT 1 FROM pass WHERE pass.supervisor = supervisor.id);
        DELETE FROM name WHERE NOT EXISTS (SELECT 1 FROM part WHERE part.initializer = name.id);
        """)
    // Returns the free pages to the file system; it gives a row for each.
    _ = try Row.fetchAll(database, sql: "PRAGMA incremental_vacuum")
    return deleted
  }

  private static func used(_ database: Database) throws -> Int {
    func value(_ pragma: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0 }
    return try (value("page_count") - value("freelist_count")) * value("page_size")
  }

  /// Returns whether the pass was new.
  private static func insert(_ pass: EndedPass, _ database: Database) throws -> Bool {
    let supervisor = try identifier(of: pass.instance, in: "supervisor", "instance", database)
    try database.cachedStatement(
      sql: """
        INSERT INTO pass (supervisor, number, phase, outcome, started, held, duration, failed_by, error, concurrency, traceparent, ran)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """
    ).execute(arguments: [
      supervisor, pass.number, pass.phase.rawValue, pass.outcome.rawValue, pass.started,
      microseconds(pass.duration - pass.openDuration), microseconds(pass.openDuration), pass.failure?.initializer,
      pass.failure.map { cut($0.message) }, pass.concurrency, pass.traceparent, pass.ran,
    ])
    guard database.changesCount > 0 else { return false }
    let id = database.lastInsertedRowID
    var names: [String: Int64] = [:]
    func name(_ name: String) throws -> Int64 {
      if let known = names[name] { return known }
      let new = try identifier(of: name, in: "name", "name", database)
      names[name] = new
      return new
    }
    let part = try database.cachedStatement(
      sql: """
        INSERT INTO part (pass, initializer, outcome, attempts, waited, queued, running, backoff, cpu) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    for each in pass.initializers {
      try part.execute(arguments: [
        id, name(each.name), each.outcome, each.attempts, microseconds(each.waited), microseconds(each.queued),
        microseconds(each.running), microseconds(each.backoff), each.cpu.map(microseconds),
      ])
    }
    let step = try database.cachedStatement(
      sql:
        "INSERT INTO step (pass, position, initializer, link, source, queued, running, backoff) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    )
    for (position, each) in pass.criticalPath.enumerated() {
      try step.execute(arguments: [
        id, position, each.name, each.link, each.from, microseconds(each.queued), microseconds(each.running),
        microseconds(each.backoff),
      ])
    }
    let run = try database.cachedStatement(
      sql: """
        INSERT INTO run (pass, number, initializer, attempt, outcome, ready, started, duration, cpu, error, waited_for, output)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for each in pass.runs {
      let waitedFor = try each.waitedFor.map { try "\(name($0))" }.joined(separator: " ")
      try run.execute(arguments: [
        id, each.number, name(each.initializer), each.attempt, each.outcome.rawValue,
        microseconds(each.ready - pass.started), microseconds(each.started - pass.started), microseconds(each.duration),
        each.cpu.map(microseconds), each.error.map(cut), waitedFor.isEmpty ? nil : waitedFor,
        each.output.isEmpty ? nil : each.output.map(cut).joined(separator: "\n"),
      ])
    }
    return true
  }

  private static func identifier(
    of value: String, in table: String, _ column: String, _ database: Database
  ) throws -> Int64 {
    let known = try database.cachedStatement(sql: "SELECT id FROM \(table) WHERE \(column) = ?")
    if let id = try Int64.fetchOne(known, arguments: [value]) { return id }
    try database.cachedStatement(sql: "INSERT INTO \(table) (\(column)) VALUES (?)").execute(arguments: [value])
    return database.lastInsertedRowID
  }

  private static func microseconds(_ seconds: Double) -> Int64 {
    // The protocol's durations are less than 10⁹ s.
    seconds.isFinite ? Int64((min(max(seconds, -1e9), 1e9) * 1e6).rounded()) : 0
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > textLimit else { return text }
    var size = 0
    let start = text.unicodeScalars.prefix { scalar in
      size += UTF8.width(scalar)
      return size <= textLimit
    }
    return String(start) + "…"
  }
}

extension EndedPass {
  /// A hash of the initializers that ran, the same in every process; nil unless the pass is complete and ran one.
  ///
  /// Passes with the same hash are comparable: a pass that is resumed, or only reruns a part, has another hash.
  fileprivate var ran: Int64? {
    let names = initializers.filter { $0.outcome == Outcome.complete.rawValue && $0.attempts > 0 }.map(\.name).sorted()
    guard outcome == .complete, !names.isEmpty else { return nil }
    // FNV-1a; a byte that no name has separates the names.
    let hash = names.joined(separator: "\0").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return Int64(bitPattern: hash)
  }
}
