CREATE TABLE IF NOT EXISTS notes (text TEXT PRIMARY KEY, due TEXT);
INSERT OR IGNORE INTO notes VALUES ('water the plants', date('now'));
