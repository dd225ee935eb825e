/// Finds the text that the user probably meant, for "did you mean".
///
/// Terms. Two words are *near* if one becomes the other by few edits: a letter inserted, removed, replaced or swapped with its neighbour.
/// At most one edit per three letters is allowed; case, `-` and `_` are ignored.
public enum Suggestion {
  /// Returns the nearest of `candidates`, the first one if several are equally near; `nil` if none is near.
  ///
  /// Words of more than 64 letters have no near words, so many candidates can be compared quickly. A prefix of a candidate matches it:
  /// `env` is near `environment`.
  public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let wanted = folded(word)
    guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
    var best: (distance: Int, word: String)?
    var begun: [String] = []
    for candidate in candidates {
      let offered = folded(candidate)
      if wanted.count >= 3, offered.starts(with: wanted) { begun.append(candidate) }
      let near = max(1, max(wanted.count, offered.count) / 3)
      let better = best.map { $0.distance - 1 } ?? near
      if let distance = distance(wanted, offered, atMost: min(near, better)), distance < offered.count {
        best = (distance, candidate)
      }
    }
    return best?.word ?? (begun.count == 1 ? begun[0] : nil)
  }

  /// Returns the candidates, the nearest first.
  public static func ranked(_ candidates: [String], by word: String) -> [String] {
    let wanted = folded(word)
    return candidates.map { (edits: distance(wanted, folded($0), atMost: .max) ?? .max, word: $0) }
      .sorted { $0.edits < $1.edits }.map(\.word)
  }

  private static func folded(_ word: String) -> [UInt8] {
    word.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
  }

  /// Returns the number of edits between `left` and `right`; `nil` if it is more than `bound`.
  static func distance(_ left: [UInt8], _ right: [UInt8], atMost bound: Int) -> Int? {
    guard abs(left.count - right.count) <= bound else { return nil }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      current.reserveCapacity(right.count + 1)
      for (column, other) in right.enumerated() {
        var edits = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          edits = min(edits, beforeLast[column - 1] + 1)
        }
        current.append(edits)
      }
      if current.allSatisfy({ $0 > bound }) { return nil }
      beforeLast = last
      last = current
    }
    return last[right.count] <= bound ? last[right.count] : nil
  }
}
