internal import InitModel

extension HistoryResult {
  /// Adds the page that follows this one, which has older passes.
  ///
  /// The oldest pass so far may have only its last elements: the others are the newest ones of that page.
  package mutating func prepend(_ older: HistoryResult) {
    passes = Self.joined(older.passes, passes, { $0.pass == $1.pass }, \.runs)
    if let summaries {
      self.summaries = Self.joined(
        older.summaries ?? [], summaries, { $0.pass == $1.pass && $0.instance == $1.instance }, \.initializers)
    }
    more = older.more
    before = older.before
  }

  private static func joined<Pass, Element>(
    _ older: [Pass], _ newer: [Pass], _ isSame: (Pass, Pass) -> Bool, _ elements: WritableKeyPath<Pass, [Element]>
  ) -> [Pass] {
    guard let last = older.last, var first = newer.first, isSame(last, first) else { return older + newer }
    first[keyPath: elements] = last[keyPath: elements] + first[keyPath: elements]
    return older.dropLast() + [first] + newer.dropFirst()
  }
}
