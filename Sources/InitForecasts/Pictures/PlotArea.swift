internal import InitTimeline

/// The positions of all parts of a plot.
struct PlotArea: Sendable {
  let width = 1200
  let margin = 16
  /// The first row's upper edge.
  let top = 112
  let rowHeight: Int
  let fontSize: Double
  /// The width of the band before the opening; 0 if the pass could begin at once.
  let heldWidth: Double
  /// The position of the opening.
  let start: Double
  /// The position of the end of the pass, or of the current time.
  let end: Double
  private let rows: Int

  /// The width of the longest names.
  private static let longestName = 260.0

  init(_ timeline: Timeline) {
    let rows = max(timeline.initializers.count, 1)
    let (height, size) = rows <= 60 ? (24, 12.5) : rows <= 150 ? (19, 11.5) : (16, 10.5)
    let names = timeline.initializers.reduce(60) { max($0, XML.width(of: $1.name, size: size) * 1.06) }
    let held = timeline.held > 0.0005 ? 48.0 : 0
    let start = Double(margin) + 10 + min(names, Self.longestName) + 14 + held
    // Every note fits beside its bar, unless the axis would become too short.
    let right = Double(width) - 8
    let end = timeline.initializers.reduce(right - 56) { end, turn in
      let part = max(0.2, (turn.ended - timeline.opened) / max(timeline.duration, 1e-6))
      return min(
        end, start + (right - PlotRow.noteDistance - XML.width(of: turn.note, size: size) * 1.06 - start) / part)
    }
    self.rows = rows
    rowHeight = height
    fontSize = size
    heldWidth = held
    self.start = start
    self.end = max(end, start + 400)
  }

  /// How many letters of a name fit.
  var nameLetters: Int { Int(Self.longestName / (fontSize * 0.6)) }

  /// The last row's lower edge.
  var bottom: Int { top + rows * rowHeight }
  /// The height of the picture.
  var height: Int { bottom + (axes.count > 1 ? 34 : 16) }
  /// The base lines of the labels of the axis: above and, if there are many rows, below.
  var axes: [Int] { rows > 25 ? [top - 10, bottom + 16] : [top - 10] }

  /// Returns the upper edge of a row.
  func y(of row: Int) -> Int { top + row * rowHeight }
  func middle(of row: Int) -> Double { Double(y(of: row)) + Double(rowHeight) / 2 }
}
