internal import GRDB
public import Passes
public import SlowPasses

extension PassStore {
  /// Returns the last passes, the newest first.
  ///
  /// `before` is the `id` of a pass: only older passes are returned. `since` is a time: only passes that started then or later are
  /// returned.
  public func passes(
    limit: Int = 50, before: Int? = nil, phase: Phase? = nil, since: Double? = nil
  ) async throws(StoreError) -> [PassEntry] {
    try await read { database in
      try Self.entries(
        database,
        """
        WHERE pass.id < ? AND (? IS NULL OR phase = ?) AND started >= ? ORDER BY pass.id DESC LIMIT ?
        """,
        [before ?? Int.max, phase?.rawValue, phase?.rawValue, since ?? -.infinity, Self.page(limit)])
    }
  }

  /// Returns everything that is known of these passes, by their `id`; those that the history hasn't got are left out.
  public func passes(_ ids: [Int]) async throws(StoreError) -> [StoredPass] {
    try await read { database in
      let names = try Dictionary(
        Row.fetchAll(database, sql: "SELECT id, name FROM name").map { ($0["id"] as Int, $0["name"] as String) },
        uniquingKeysWith: { first, _ in first })
      return try ids.prefix(Self.pageLimit).flatMap { id in
        try Self.entries(database, "WHERE pass.id = ?", [id]).map { try Self.details(of: $0, names, database) }
      }
    }
  }

  /// Returns everything that is stored about a supervisor's pass; nil if the history doesn't contain it.
  public func pass(_ number: Int, of instance: String) async throws(StoreError) -> StoredPass? {
    let id = try await read { database in
      try Self.entries(database, "WHERE number = ? AND instance = ?", [number, instance]).first?.id
    }
    return try await passes(id.map { [$0] } ?? []).first
  }

  /// Returns an initializer's part in the last passes in which it was, the oldest first.
  public func trend(
    of initializer: String, limit: Int = 50, phase: Phase? = nil
  ) async throws(StoreError) -> [TrendPoint] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT pass.id, instance, number, phase, started, duration, pass.outcome AS pass_outcome,
            part.*, EXISTS (SELECT 1 FROM step WHERE step.pass = pass.id AND step.initializer = ?1) AS on_path
          FROM part JOIN pass ON pass.id = part.pass JOIN supervisor ON supervisor.id = pass.supervisor
          WHERE part.initializer = (SELECT id FROM name WHERE name = ?1) AND (?2 IS NULL OR phase = ?2)
          ORDER BY part.pass DESC LIMIT ?3
          """, arguments: [initializer, phase?.rawValue, Self.page(limit)]
      ).reversed().map { row in try TrendPoint(row, of: initializer) }
    }
  }

  /// Returns all initializers of the history, by name, with the newest pass of each.
  public func initializers() async throws(StoreError) -> [KnownInitializer] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT name, (SELECT max(pass) FROM part WHERE part.initializer = name.id) AS last FROM name
          WHERE last IS NOT NULL ORDER BY name LIMIT 10000
          """
      ).map { KnownInitializer(name: $0["name"], last: $0["last"]) }
    }
  }

  /// A complete pass, and earlier passes that it can be compared with.
  public struct Comparison: Sendable, Equatable {
    /// The pass.
    public let pass: PassEntry
    /// The duration of the pass and of its initializers.
    public let measure: PassMeasure
    /// The durations of the last comparable passes, the newest first.
    public let earlier: [PassMeasure]
  }

  /// Selects the pass to compare.
  public struct Choice: Sendable, Equatable {
    /// Selects only passes of this phase.
    public var phase: Phase?
    /// Selects only passes with this number.
    public var number: Int?
    /// Selects only passes of supervisors whose instance starts with this text.
    public var supervisor: String?
    /// Selects only passes that started then or later.
    public var since: Double?

    /// Chooses the newest one.
    public init(phase: Phase? = nil, number: Int? = nil, supervisor: String? = nil, since: Double? = nil) {
      self.phase = phase
      self.number = number
      self.supervisor = supervisor
      self.since = since
    }
  }

  /// Returns the newest complete pass of the choice in which an initializer ran, and the last comparable passes; nil if there is no such
  /// pass.
  ///
  /// Two complete passes are comparable if they are of the same phase and the same initializers ran.
  public func comparison(of choice: Choice, last limit: Int) async throws(StoreError) -> Comparison? {
    try await read { database in
      let supervisor = choice.supervisor ?? ""
      let found = try Self.entries(
        database,
        """
        WHERE ran IS NOT NULL AND (?1 IS NULL OR phase = ?1) AND (?2 IS NULL OR number = ?2)
          AND substr(instance, 1, ?3) = ?4 AND started >= ?5
        ORDER BY pass.id DESC LIMIT 1
        """,
        [
          choice.phase?.rawValue, choice.number, supervisor.unicodeScalars.count, supervisor,
          choice.since ?? -.infinity,
        ])
      guard let pass = found.first else { return nil }
      let path = Set(pass.criticalPath)
      let earlier = try Row.fetchAll(
        database,
        sql: """
          SELECT pass.id, pass.duration FROM pass JOIN pass AS newest ON newest.id = ?1
          WHERE pass.phase = newest.phase AND pass.ran = newest.ran AND pass.id < newest.id ORDER BY pass.id DESC LIMIT ?2
          """, arguments: [pass.id, Self.page(limit)])
      return try Comparison(
        pass: pass, measure: Self.measure(pass.id, pass.duration, path, database),
        earlier: earlier.map { try Self.measure($0["id"], seconds($0["duration"]), [], database) })
    }
  }

  private static func measure(
    _ pass: Int, _ duration: Double, _ path: Set<String>, _ database: Database
  ) throws -> PassMeasure {
    let parts = try parts(of: pass, database).filter { $0.attempts > 0 }
    return PassMeasure(
      duration: duration,
      parts: parts.map {
        PassMeasure.Part(
          initializer: $0.name, running: $0.running, queued: $0.queued, backoff: $0.backoff,
          isOnCriticalPath: path.contains($0.name))
      })
  }

  private static func page(_ limit: Int) -> Int { min(max(limit, 1), pageLimit) }

  private static func entries(_ database: Database, _ rest: String, _ arguments: StatementArguments) throws
    -> [PassEntry]
  {
    let statement = try database.cachedStatement(
      sql: "SELECT pass.*, instance FROM pass JOIN supervisor ON supervisor.id = supervisor \(rest)")
    let rows = try Row.fetchAll(statement, arguments: arguments)
    let path = try database.cachedStatement(sql: "SELECT initializer FROM step WHERE pass = ? ORDER BY position")
    let longest = try database.cachedStatement(
      sql: """
        SELECT name, running FROM part JOIN name ON name.id = initializer
        WHERE pass = ? AND attempts > 0 ORDER BY running DESC LIMIT 1
        """)
    return try rows.map { row in
      let id: Int = row["id"]
      return try PassEntry(
        row, criticalPath: String.fetchAll(path, arguments: [id]), longest: Row.fetchOne(longest, arguments: [id]))
    }
  }

  private static func parts(of pass: Int, _ database: Database) throws -> [PassedInitializer] {
    let statement = try database.cachedStatement(
      sql: "SELECT part.*, name FROM part JOIN name ON name.id = initializer WHERE pass = ? ORDER BY name")
    return try Row.fetchAll(statement, arguments: [pass]).map { PassedInitializer($0, name: $0["name"]) }
  }

  private static func details(
    of entry: PassEntry, _ names: [Int: String], _ database: Database
  ) throws -> StoredPass {
    let steps = try database.cachedStatement(sql: "SELECT * FROM step WHERE pass = ? ORDER BY position")
    let path = try Row.fetchAll(steps, arguments: [entry.id])
    let all = try database.cachedStatement(sql: "SELECT * FROM run WHERE pass = ? ORDER BY number")
    let runs = try Row.fetchAll(all, arguments: [entry.id])
    return try StoredPass(
      pass: entry, initializers: parts(of: entry.id, database), path: path.map(PathStep.init),
      runs: runs.map { try StoredRun($0, since: entry.started, names: names) })
  }
}

private func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1e6 }

/// Another program has changed the database: this version doesn't know the word.
private func known<Word: RawRepresentable<String>>(_ word: String) throws -> Word {
  guard let known = Word(rawValue: word) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
  return known
}

extension PassEntry {
  fileprivate init(_ row: Row, criticalPath: [String], longest: Row?) throws {
    self.init(
      id: row["id"], instance: row["instance"], number: row["number"], phase: try known(row["phase"]),
      outcome: try known(row["outcome"]), started: row["started"], held: seconds(row["held"]),
      duration: seconds(row["duration"]), failedBy: row["failed_by"], error: row["error"],
      concurrency: row["concurrency"], traceparent: row["traceparent"], criticalPath: criticalPath,
      longest: longest.map { Longest(name: $0["name"], running: seconds($0["running"])) })
  }
}

extension PassedInitializer {
  fileprivate init(_ row: Row, name: String) {
    self.init(
      name: name, outcome: row["outcome"], attempts: row["attempts"], waited: seconds(row["waited"]),
      queued: seconds(row["queued"]), running: seconds(row["running"]), backoff: seconds(row["backoff"]),
      cpu: (row["cpu"] as Int64?).map(seconds))
  }
}

extension PathStep {
  fileprivate init(_ row: Row) {
    self.init(
      name: row["initializer"], link: row["link"], from: row["source"], queued: seconds(row["queued"]),
      running: seconds(row["running"]), backoff: seconds(row["backoff"]))
  }
}

extension StoredRun {
  fileprivate init(_ row: Row, since start: Double, names: [Int: String]) throws {
    let waitedFor = (row["waited_for"] as String?)?.split(separator: " ").compactMap { Int($0).flatMap { names[$0] } }
    self.init(
      number: row["number"], initializer: names[row["initializer"]] ?? "", attempt: row["attempt"],
      outcome: try known(row["outcome"]), ready: start + seconds(row["ready"]),
      started: start + seconds(row["started"]), duration: seconds(row["duration"]),
      cpu: (row["cpu"] as Int64?).map(seconds), error: row["error"], waitedFor: waitedFor ?? [],
      output: (row["output"] as String?)?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }
}

extension TrendPoint {
  fileprivate init(_ row: Row, of name: String) throws {
    self.init(
      id: row["id"], instance: row["instance"], number: row["number"], phase: try known(row["phase"]),
      started: row["started"], passDuration: seconds(row["duration"]), passOutcome: try known(row["pass_outcome"]),
      initializer: PassedInitializer(row, name: name), isOnCriticalPath: row["on_path"])
  }
}
