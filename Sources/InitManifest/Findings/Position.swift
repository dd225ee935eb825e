/// A place in a manifest's text, counted from 1 as editors do; a column is a Unicode scalar.
package struct Position: Hashable, Sendable, Comparable {
  /// The line, from 1.
  package let line: Int
  /// The column, from 1.
  package let column: Int

  /// Creates the place in line `line`, column `column`, both from 1.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The beginning of the text.
  static let start = Position(line: 1, column: 1)

  /// Whether the left one is first in the text.
  package static func < (left: Self, right: Self) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}
