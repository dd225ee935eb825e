package import InitModel
package import InitWords

extension Status {
  /// Returns the positions of the initializers that a pass of a phase executes: the phase's own, and for launch all their dependencies
  /// (S4).
  package func members(of phase: Phase) -> Set<Int> {
    var open = initializers.indices.filter { initializers[$0].priority == phase.priority }
    var members = Set(open)
    // Dependencies of active initializers are active too, or were executed by launch.
    guard phase == .launch else { return members }
    let indices = initializers.indices
    let indexes = Dictionary(indices.lazy.map { (initializers[$0].name, $0) }) { first, _ in first }
    while let next = open.popLast() {
      for dependency in initializers[next].dependencies {
        if let index = indexes[dependency], members.insert(index).inserted { open.append(index) }
      }
    }
    return members
  }
}
