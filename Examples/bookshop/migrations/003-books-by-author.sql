-- The shelf is sorted by author; NOCASE, as readers type.
CREATE INDEX books_by_author ON books (author COLLATE NOCASE, title);
