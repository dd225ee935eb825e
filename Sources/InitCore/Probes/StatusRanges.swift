/// Ranges of HTTP statuses: `200-299`, `204`.
package struct StatusRanges: Hashable, Sendable {
  private let ranges: [ClosedRange<Int>]

  /// 200 to 299: success.
  package static let success = StatusRanges([200...299])

  /// Creates the union of ranges.
  package init(_ ranges: [ClosedRange<Int>]) { self.ranges = ranges }

  /// Returns whether a status is in one of the ranges.
  package func contains(_ status: Int) -> Bool { ranges.contains { $0 ~= status } }

  /// Parses one status or range; nil if it is neither, or has numbers that aren't statuses.
  package static func range(_ text: String) -> ClosedRange<Int>? {
    guard let (first, last) = ends(text), first <= last else { return nil }
    return first...last
  }

  /// Returns the probably intended range for a text with a range from a higher to a lower status; nil for any other text.
  package static func backwards(_ text: String) -> ClosedRange<Int>? {
    guard let (first, last) = ends(text), first > last else { return nil }
    return last...first
  }

  private static func ends(_ text: String) -> (Int, Int)? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { part in
      part.utf8.count == 3 && part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(part) : nil
    }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
      (100...599).contains(first), (100...599).contains(last)
    else { return nil }
    return (first, last)
  }
}
