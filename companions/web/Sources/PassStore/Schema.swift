internal import GRDB

/// The tables.
///
/// Durations, and times within a pass, are microseconds: they take a third of the space of floating-point numbers.
enum Schema {
  /// Marks the files of this program, so a file of another program is recognized: "init".
  private static let applicationID = 0x696E_6974

  /// A migration that has been released is never changed; another migration follows it.
  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      try database.execute(
        sql: """
          CREATE TABLE supervisor (id INTEGER PRIMARY KEY, instance TEXT NOT NULL UNIQUE);
          CREATE TABLE name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

          -- held, duration: microseconds. ran: a hash of the initializers that ran, if the pass is complete.
          CREATE TABLE pass (
            id INTEGER PRIMARY KEY,
            supervisor INTEGER NOT NULL REFERENCES supervisor(id), number INTEGER NOT NULL,
            phase TEXT NOT NULL, outcome TEXT NOT NULL, started REAL NOT NULL, held INTEGER NOT NULL, duration INTEGER NOT NULL,
            failed_by TEXT, error TEXT, concurrency INTEGER, traceparent TEXT, ran INTEGER,
            UNIQUE (supervisor, number));
          CREATE INDEX pass_by_time ON pass(started);
          CREATE INDEX pass_by_ran ON pass(phase, ran) WHERE ran IS NOT NULL;

          -- An initializer in a pass; microseconds.
          CREATE TABLE part (
            pass INTEGER NOT NULL REFERENCES pass(id) ON DELETE CASCADE, initializer INTEGER NOT NULL,
            outcome TEXT NOT NULL, attempts INTEGER NOT NULL, waited INTEGER NOT NULL, queued INTEGER NOT NULL,
            running INTEGER NOT NULL, backoff INTEGER NOT NULL, cpu INTEGER,
            PRIMARY KEY (pass, initializer)) WITHOUT ROWID;
          CREATE INDEX part_by_initializer ON part(initializer, pass);

          -- The critical path; microseconds.
          CREATE TABLE step (
            pass INTEGER NOT NULL REFERENCES pass(id) ON DELETE CASCADE, position INTEGER NOT NULL,
            initializer TEXT NOT NULL, link TEXT NOT NULL, source TEXT,
            queued INTEGER NOT NULL, running INTEGER NOT NULL, backoff INTEGER NOT NULL,
            PRIMARY KEY (pass, position)) WITHOUT ROWID;

          -- ready, started: microseconds since the start of the pass. waited_for: ids of names. It has a rowid: without one, a row
          -- with an error's text would take a page of its own.
          CREATE TABLE run (
            pass INTEGER NOT NULL REFERENCES pass(id) ON DELETE CASCADE, number INTEGER NOT NULL,
            initializer INTEGER NOT NULL, attempt INTEGER NOT NULL, outcome TEXT NOT NULL,
            ready INTEGER NOT NULL, started INTEGER NOT NULL, duration INTEGER NOT NULL, cpu INTEGER,
            error TEXT, waited_for TEXT);
          CREATE INDEX run_by_pass ON run(pass);
          """)
    }
    migrator.registerMigration("2") { database in
      // The last lines that a failed run wrote.
      try database.execute(sql: "ALTER TABLE run ADD COLUMN output TEXT")
    }
    return migrator
  }()

  /// Throws if the database is another program's, or a newer version's.
  static func check(_ database: Database, at path: String) throws {
    // In one statement, because another process may just create the tables: the first one before the identifier.
    let tables = try Int.fetchOne(
      database,
      sql: """
        SELECT count(*) FROM sqlite_master, pragma_application_id
        WHERE application_id <> \(applicationID) AND tbl_name <> 'grdb_migrations'
        """)
    guard tables == 0 else { throw StoreError.foreign(path) }
    guard try !migrator.hasBeenSuperseded(database) else { throw StoreError.newer(path) }
  }
}
