internal import GRDB

/// The reason why a history can't be used, and what to do.
public enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file can't be opened or created, for the system's reason.
  case cannotOpen(String, reason: String)
  /// The file's directory may be changed by everybody, so the file could be replaced.
  case exposed(String, directory: String)
  /// The file isn't an SQLite database.
  case notDatabase(String)
  /// The file is an SQLite database of another program.
  case foreign(String)
  /// The file was written by a newer version of this program.
  case newer(String)
  /// The file has no history of this version: it is new, or an older version wrote it.
  case unprepared(String)
  /// SQLite found inconsistent contents.
  case corrupt(String)
  /// The disk is full.
  case full(String)
  /// Another process has locked the file for too long.
  case locked(String)
  /// Too many reads are in progress.
  case busy
  /// Another error of SQLite.
  case other(String, reason: String)

  /// A text that says what happened, and what to do.
  public var description: String {
    switch self {
    case .cannotOpen(let path, let reason):
      "cannot open \(path): \(reason); choose another path with --history, or change the permissions"
    case .exposed(let path, let directory):
      "\(path) isn't opened: everybody can write the directory \(directory); use a directory that only this program's user can write"
    case .notDatabase(let path):
      "\(path) isn't an SQLite database; move it away, or choose another path with --history"
    case .foreign(let path):
      "\(path) is the SQLite database of another program; choose another path with --history"
    case .newer(let path):
      "\(path) was written by a newer version of initweb; use that version, or choose another path with --history"
    case .unprepared(let path):
      "\(path) has no history of this version yet; initweb serve --history \(path) creates it"
    case .corrupt(let path):
      "\(path) is corrupt; move it away together with \(path)-wal and \(path)-shm, then a new one is created"
    case .full(let path): "cannot write \(path): the disk is full; free space, or lower --max-size"
    case .locked(let path): "\(path) is locked by another process; end that process, or wait until it has finished"
    case .busy: "too many reads of the history are in progress; try again later"
    case .other(let path, let reason): "cannot use \(path): \(reason)"
    }
  }

  /// Translates an error of the database at a path.
  init(_ error: any Error, _ path: String) {
    if let error = error as? StoreError {
      self = error
      return
    }
    guard let error = error as? DatabaseError else {
      self = .other(path, reason: "\(error)")
      return
    }
    switch error.resultCode {
    case .SQLITE_NOTADB: self = .notDatabase(path)
    case .SQLITE_CORRUPT: self = .corrupt(path)
    case .SQLITE_FULL: self = .full(path)
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path)
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
      self = .cannotOpen(path, reason: error.message ?? "\(error.resultCode)")
    default: self = .other(path, reason: error.message ?? "\(error.resultCode)")
    }
  }
}
