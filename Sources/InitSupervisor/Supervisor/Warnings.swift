/// The problems of the supervisor itself, shown in each Status while they last (protocol §3).
struct Warnings: Equatable {
  /// The damage of the files in the state directory at the start.
  var damage: [String] = []
  /// Why the state file isn't written.
  var unwritten: String?
  /// Why the file of passes isn't written.
  var unwrittenPasses: String?
  /// Why the file of failures isn't written.
  var unwrittenFailures: String?
  /// The initializers that don't fit into the state file.
  var unremembered: Set<String> = []
  /// Why the commands' private directory isn't in the intended place.
  var runtimeDirectory: String?
  /// When and why the guard was lost.
  var guardLoss: String?

  /// How many names a text shows.
  private static let shownNames = 10

  /// Returns one sentence per problem.
  var texts: [String] {
    let others = [unwritten, unwrittenPasses, unwrittenFailures, runtimeDirectory, guardLoss]
    var texts = damage + others.compactMap(\.self)
    if !unremembered.isEmpty {
      texts.append(
        "the state file is full (64 MiB): after a restart these run again: \(Self.shown(unremembered.sorted()))")
    }
    return texts
  }

  /// Returns the first of these names.
  static func shown(_ names: [String]) -> String {
    let more = names.count - shownNames
    return names.prefix(shownNames).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
