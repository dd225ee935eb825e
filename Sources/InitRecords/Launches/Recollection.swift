internal import InitCore
internal import InitModel
internal import InitText

/// The conclusions from the record of the supervisor before this one: which launch initializers are still complete, which may be fresh, and
/// why others run again.
///
/// A value.
package struct Recollection: Equatable {
  /// An initializer as it is declared now.
  struct Present: Equatable {
    /// The identity of the initializer's work.
    ///
    /// If the record has a different one, the initializer has changed.
    var work: String
    /// Why the initializer runs at each start; nil if its completion is recorded.
    var again: Initializer.Again?
    var dependencies: [String]
    /// Whether the initializer may be fresh: then its fingerprint is compared when its turn comes (S30).
    var mayBeFresh = false
    /// Whether only a changed output of a dependency matters, not that it runs again (S37).
    var isEver = false
  }

  /// The initializers that are still complete.
  private(set) var complete: [LaunchRecord.Entry] = []
  /// The initializers that completed and may be fresh: they run again if their fingerprints differ (S30).
  private(set) var checked: [LaunchRecord.Entry] = []
  /// The reasons why other initializers run again, by their names.
  private(set) var again: [String: Initializer.Again] = [:]
  /// The records of the initializers that run again and are declared.
  private(set) var notes: [LaunchRecord.Entry] = []

  /// - Parameters:
  ///   - entries: the record.
  ///   - present: the initializers that are declared now, by their names. Workers may register others later.
  ///   - interrupted: the initializers that ran when the supervisor before this one ended.
  init(_ entries: [LaunchRecord.Entry], present: [String: Present], interrupted: Set<String> = []) {
    var candidates: [LaunchRecord.Entry] = []
    // Their dependents ran with an output that the next run will replace, or with the result of a dependency that has changed.
    var renewed: [String] = []
    for entry in entries {
      let now = present[entry.name]
      if entry.isComplete, let reason = now?.again {
        again[entry.name] = reason
        let isRenewing = reason.reason != .perProcess && reason.reason != .checked
        if entry.gaveOutput || isRenewing { renewed.append(entry.name) }
      } else if entry.isComplete, now.map(entry.differs) ?? (entry.work != Self.worker) {
        if now != nil { again[entry.name] = Initializer.Again(.changed) }
        renewed.append(entry.name)
      } else if entry.isComplete, now?.mayBeFresh == true, entry.known == nil {
        again[entry.name] = Initializer.Again(.inputs)
        if entry.output != nil { renewed.append(entry.name) }
      } else if entry.isComplete {
        candidates.append(entry)
      } else if let reason = entry.again.flatMap(AgainReason.init) {
        again[entry.name] = Initializer.Again(reason, of: entry.of)
        if entry.gaveOutput { renewed.append(entry.name) }
      }
    }
    var dependencies = Dictionary(entries.map { ($0.name, $0.dependencies ?? []) }) { first, _ in first }
    for (name, now) in present { dependencies[name] = now.dependencies }
    let causes = Self.dependents(of: renewed, over: dependencies)
    for entry in candidates {
      if let cause = causes[entry.name], present[entry.name]?.isEver != true {
        again[entry.name] = Initializer.Again(.dependency, of: cause)
      } else if present[entry.name]?.mayBeFresh == true {
        checked.append(entry)
      } else {
        complete.append(entry)
      }
    }
    let known = Set((complete + checked).map(\.name))
    for name in interrupted where !known.contains(name) && again[name] == nil {
      again[name] = Initializer.Again(.interrupted)
    }
    let gave = Set(entries.filter(\.gaveOutput).map(\.name))
    notes = again.sorted { $0.key < $1.key }.compactMap { name, why in
      guard present[name] != nil, let reason = why.reason.known else { return nil }
      return LaunchRecord.Entry(name: name, again: reason, of: why.initializer, gave: gave.contains(name))
    }
  }

  /// The work of an initializer that a worker runs.
  package static let worker = "worker"

  /// Returns the direct and indirect dependents of some names, each with the dependency that makes it one.
  static func dependents(of names: [String], over dependencies: [String: [String]]) -> [String: String] {
    guard !names.isEmpty else { return [:] }
    var dependents: [String: [String]] = [:]
    for (name, needed) in dependencies { for each in needed { dependents[each, default: []].append(name) } }
    var causes: [String: String] = [:]
    var next = names.sorted()
    while let name = next.popLast() {
      for dependent in dependents[name] ?? [] where causes[dependent] == nil {
        causes[dependent] = name
        next.append(dependent)
      }
    }
    return causes
  }

  /// How many initializers have a line of their own in the log.
  private static let lines = 10

  /// A line of the log about initializers that run again.
  struct Line: Equatable {
    let text: String
    /// The initializer, if the line is about one.
    let initializer: String?
    let reason: Word<AgainReason>
  }

  /// The reasons why initializers run again: a line for each initializer, or for each reason if there are many.
  var lines: [Line] {
    let names = again.keys.sorted()
    if names.count <= Self.lines {
      return names.compactMap { name in
        again[name].map { Line(text: "\(name) runs again: \($0.message)", initializer: name, reason: $0.reason) }
      }
    }
    let groups = Dictionary(grouping: names) { again[$0]?.reason.rawValue ?? "" }
    return groups.sorted { $0.key < $1.key }.map { word, names in
      let reason = Word<AgainReason>(word)
      let why = reason.known.map(Initializer.Again.ofMany) ?? word
      let text =
        names.count == 1
        ? "\(names[0]) runs again: \(again[names[0]]?.message ?? why)"
        : "\(names.count) initializers run again: \(why): \(NameList.shown(names))"
      return Line(text: text, initializer: names.count == 1 ? names[0] : nil, reason: reason)
    }
  }
}

extension LaunchRecord.Entry {
  /// The fingerprint of the work's inputs at its completion, and the time of the completion; nil if that isn't known.
  var known: Fingerprint? {
    guard let fingerprint, let completed else { return nil }
    return Fingerprint(fingerprint, at: .milliseconds(completed))
  }

  /// Returns whether an initializer has other work now than the completed work, or other dependencies.
  fileprivate func differs(from now: Recollection.Present) -> Bool {
    work != now.work || dependencies.map { $0 != now.dependencies } ?? false
  }
}
