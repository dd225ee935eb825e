internal import InitCore

/// The effects of an event.
struct Step {
  let effects: [Effect]
  let now: Instant
  /// Whether a run reported progress: then only observers of the changed values are notified.
  let isReport: Bool
}

/// The steps whose effects haven't been carried out.
///
/// A step that comes while another one is carried out waits until that has ended.
struct StepQueue {
  private var waiting: [Step] = []
  private var isPerforming = false
  /// How many steps were added.
  private(set) var count = 0

  /// Adds a step.
  ///
  /// - Returns: whether the caller must now carry out all steps.
  mutating func add(_ step: Step) -> Bool {
    waiting.append(step)
    count += 1
    defer { isPerforming = true }
    return !isPerforming
  }

  /// Removes and returns the next step; `nil` ends the carrying out.
  mutating func next() -> Step? {
    if waiting.isEmpty {
      isPerforming = false
      return nil
    }
    return waiting.removeFirst()
  }
}
