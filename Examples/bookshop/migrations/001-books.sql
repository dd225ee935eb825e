-- The offers of the shop: one row an edition.
CREATE TABLE books (
  isbn TEXT PRIMARY KEY CHECK (length(isbn) = 13),
  title TEXT NOT NULL,
  author TEXT NOT NULL,
  year INTEGER NOT NULL,
  format TEXT NOT NULL,
  imprint TEXT NOT NULL
) WITHOUT ROWID;
