/// A position in the text of one of a manifest's files, counted from 1 as editors do; a column is a Unicode scalar.
package struct Position: Hashable, Sendable, Comparable {
  /// The line, from 1.
  package let line: Int
  /// The column, from 1.
  package let column: Int
  /// The number of the file, from 0, in the order in which they are read.
  package let file: Int

  /// Creates the position in line `line`, column `column`, both from 1.
  package init(line: Int, column: Int, file: Int = 0) {
    self.line = line
    self.column = column
    self.file = file
  }

  /// The beginning of the first file's text.
  static let start = start(of: 0)

  /// Returns the beginning of a file's text.
  static func start(of file: Int) -> Position { Position(line: 1, column: 1, file: file) }

  /// Returns whether the left position is first in the text; the text of an earlier file is first.
  package static func < (left: Self, right: Self) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}
