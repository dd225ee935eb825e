-- The sessions that may order in the shop's name, and their ends (seconds since the epoch).
CREATE TABLE sessions (
  token TEXT PRIMARY KEY,
  expires INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires);
