internal import InitText

/// The problems of the state directory, shown in each Status while they last (protocol §3).
package struct RecordProblems: Equatable {
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

  /// One sentence per problem.
  package var texts: [String] {
    var texts = damage + [unwritten, unwrittenPasses, unwrittenFailures].compactMap(\.self)
    if !unremembered.isEmpty {
      texts.append(
        "the state file is full (64 MiB): after a restart these run again: \(NameList.shown(unremembered.sorted()))")
    }
    return texts
  }
}
