package import InitModel
internal import InitWords

/// How launch delayed an active pass that waited for it (S4).
package struct LaunchWait: Sendable, Equatable {
  /// How long the active pass waited, in seconds.
  package let held: Double
  /// The launch initializer that ended last.
  package let last: String
  /// How long of that the pass waited only for initializers that it doesn't depend on.
  package let needless: Double
  /// These initializers, the last to end first.
  package let culprits: [String]

  /// Describes how the launch pass of a timeline delayed its active pass; `nil` if nothing ran in launch while the active pass waited.
  ///
  /// `status` is a Status; it shows the direct and indirect dependencies of the active initializers.
  package init?(_ timeline: Timeline, in status: Status) {
    guard let joint = timeline.joint else { return nil }
    let asked = joint.active.started
    held = max(0, (joint.active.opened ?? timeline.now) - asked)
    let launch = timeline.initializers.filter { $0.phase == .launch && !$0.runs.isEmpty && $0.ended > asked }
      .sorted { ($1.ended, $0.name) < ($0.ended, $1.name) }
    guard let last = launch.first, held > 0 else { return nil }
    self.last = last.name
    let needed = status.dependencies(ofPriority: .appActive)
    let enough = launch.first { needed.contains($0.name) }.map { max(asked, $0.ended) } ?? asked
    culprits = launch.filter { $0.ended > enough && !needed.contains($0.name) }.map(\.name)
    needless = culprits.isEmpty ? 0 : max(0, min(last.ended, asked + held) - enough)
  }
}

extension Status {
  /// Returns the names of the initializers of a priority, and of their direct and indirect dependencies.
  func dependencies(ofPriority priority: Priority) -> Set<String> {
    dependencies(of: initializers.filter { $0.priority.known == priority }.map(\.name))
  }

  /// Returns these names, and those of their direct and indirect dependencies.
  func dependencies(of names: [String]) -> Set<String> {
    let known = Dictionary(initializers.map { ($0.name, $0.dependencies) }) { first, _ in first }
    var found = Set(names)
    var open = names
    while let next = open.popLast() {
      for dependency in known[next] ?? [] where found.insert(dependency).inserted { open.append(dependency) }
    }
    return found
  }
}
