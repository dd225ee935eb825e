internal import InitCore
import InitWords

/// Measures passes of the machine alone: 1,000 initializers in a chain, each of whose runs ends in a step of its own.
enum MachineSteps {
  /// Runs `passes` active passes.
  static func run(passes: Int) throws {
    let declared = (0..<1_000).map { number in
      Declaration("n\(number)", priority: .appActive, dependencies: number == 0 ? [] : ["n\(number - 1)"])
    }
    var machine = Machine(declared: declared.map { ($0, .command) })
    var now = Instant.zero
    var ended = 0
    _ = try machine.apply(.started, at: now)
    for _ in 0..<passes {
      var effects = try machine.apply(.activated(hold: nil), at: now)
      while let run = started(by: effects) {
        now += .milliseconds(1)
        effects = try machine.apply(.runFinished(run: run, .success), at: now)
        ended += 1
      }
    }
    precondition(ended == passes * declared.count, "\(ended) runs ended")
  }

  /// Returns the run to start.
  ///
  /// In a chain, there is at most one.
  private static func started(by effects: [Effect]) -> RunID? {
    for case .startRun(let start) in effects { return start.run }
    return nil
  }
}
