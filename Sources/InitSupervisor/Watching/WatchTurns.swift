/// Decides when files that have changed are looked at, and when their changes are a loop: a value.
///
/// What has changed has its turn once it has been quiet for a moment: an editor that replaces a file, or a tool that writes hundreds, makes
/// one change. What changes at about the same time has its turn together.
struct WatchTurns<Thing: Hashable> {
  /// How long something must not have changed before it is looked at.
  static var quiet: Duration { .milliseconds(200) }
  /// How long something that is quiet waits at most for others that aren't.
  static var patience: Duration { .seconds(1) }
  /// How many turns in `loopTime` are a loop: what runs changes its own inputs.
  static var mostTurns: Int { 5 }
  /// How long something in a loop must be quiet before its next turn.
  static var loopTime: Duration { .seconds(10) }

  /// What happens to something that has changed.
  enum Verdict: Hashable {
    /// It has its turn now.
    case turn
    /// It is in a loop, and has its turn later; `isNew` is true the first time.
    case later(isNew: Bool)
  }

  private struct Entry: Hashable {
    /// When it changed last and wasn't looked at since; nil if it hasn't changed.
    var changed: Duration?
    /// The last turns.
    var turns: [Duration] = []
    var isLooping = false

    /// When it has been quiet for long enough; nil if it hasn't changed.
    var isQuietAt: Duration? {
      changed.map { $0 + (isLooping ? WatchTurns.loopTime : WatchTurns.quiet) }
    }
  }

  private var entries: [Thing: Entry] = [:]

  /// Records that something may have changed.
  mutating func recordChange(of thing: Thing, at now: Duration) {
    var entry = entries[thing] ?? Entry()
    if entry.isLooping, entry.changed == nil, let last = entry.turns.last, last + Self.loopTime <= now {
      entry.isLooping = false
      entry.turns = []
    }
    entry.changed = now
    entries[thing] = entry
  }

  /// Whether something may have changed since it was taken.
  func hasChanged(_ thing: Thing) -> Bool { entries[thing]?.changed != nil }

  /// When something has its turn next; nil if nothing has changed.
  var deadline: Duration? {
    let changed = entries.values.filter { $0.changed != nil }
    let loops = changed.filter(\.isLooping).compactMap(\.isQuietAt)
    let others = changed.filter { !$0.isLooping }.compactMap(\.isQuietAt)
    let together = others.max().map { last in min(last, (others.min() ?? last) + Self.patience) }
    return (loops + [together].compactMap(\.self)).min()
  }

  /// Returns what has been quiet for long enough, and isn't counted as changed any more.
  mutating func takeQuiet(at now: Duration) -> Set<Thing> {
    let quiet = entries.filter { $0.value.isQuietAt.map { $0 <= now } == true }.map(\.key)
    for thing in quiet { entries[thing]?.changed = nil }
    return Set(quiet)
  }

  /// Decides about something that has other contents than at its last turn.
  mutating func decide(_ thing: Thing, at now: Duration) -> Verdict {
    var entry = entries[thing] ?? Entry()
    defer { entries[thing] = entry }
    let recent = entry.turns.filter { $0 + Self.loopTime > now }
    guard entry.isLooping || recent.count < Self.mostTurns else {
      entry.isLooping = true
      entry.changed = entry.changed ?? now
      return .later(isNew: true)
    }
    if entry.isLooping, let last = entry.turns.last, last + Self.loopTime > now {
      entry.changed = entry.changed ?? now
      return .later(isNew: false)
    }
    entry.turns = recent + [now]
    return .turn
  }

  /// Forgets something that isn't watched any more.
  mutating func forget(_ thing: Thing) { entries[thing] = nil }
}
