/// Decides which passes are new: each pass that a supervisor still remembers is handed on exactly once, in the supervisor's order.
///
/// Events say that passes have ended. `ask` then returns how many passes to request, and `take` picks the new passes from the answer.
public struct PassFeed: Sendable {
  /// How many passes a supervisor remembers.
  public static let memory = 32
  /// How many numbers of passes are kept here: many more than a supervisor remembers, so no pass is handed on twice.
  private static let handedLimit = 32 * memory

  /// How many ended passes weren't handed on, because the supervisor forgot them or ended before they were requested.
  public private(set) var missed = 0
  /// The supervisor; empty before the first.
  public private(set) var instance = ""
  /// Whether passes may have ended without an event.
  private var isBehind = false
  /// The passes that have ended, by their events, and weren't handed on.
  private var announced: Set<Int> = []
  /// The passes that were handed on, in this order.
  private var handed: [Int] = []

  /// Has handed on nothing yet.
  public init() {}

  /// Begins with a snapshot of a supervisor: passes may have ended without an event.
  public mutating func begin(instance: String) {
    isBehind = true
    guard instance != self.instance else { return }
    self.instance = instance
    missed += announced.count
    announced = []
    handed = []
  }

  /// Records that a pass has ended.
  public mutating func end(_ number: Int) {
    if !handed.contains(number) { announced.insert(number) }
  }

  /// A question to the supervisor: for its last passes.
  public struct Question: Sendable, Equatable {
    /// The supervisor.
    public let instance: String
    /// The number of passes.
    public let limit: Int
    /// The passes that must be in the answer, unless the supervisor has forgotten them.
    fileprivate let announced: Set<Int>

    /// Whether the question is for everything that the supervisor remembers.
    fileprivate var isWhole: Bool { limit >= PassFeed.memory }
  }

  /// Whether the question should be asked soon: so many passes have ended that the supervisor could forget the first of them.
  public var isUrgent: Bool { isBehind || announced.count >= Self.memory / 2 }

  /// Returns the question for the supervisor; nil if no pass has ended.
  ///
  /// If several passes have ended, the question is for more than these: others may end before the supervisor answers.
  public mutating func ask() -> Question? {
    guard isBehind || !announced.isEmpty else { return nil }
    let known = announced.count
    let limit = isBehind ? Self.memory : known == 1 ? 1 : min(known + 2, Self.memory)
    isBehind = false
    return Question(instance: instance, limit: limit, announced: announced)
  }

  /// Records that a question wasn't answered, or that another supervisor may have answered it.
  public mutating func fail(_ question: Question) {
    if question.instance == instance { isBehind = true }
  }

  /// Returns the new passes of an answer, in the supervisor's order.
  public mutating func take(_ passes: [EndedPass], answering question: Question) -> [EndedPass] {
    guard question.instance == instance else { return [] }
    let known = Set(handed)
    let new = passes.filter { !known.contains($0.number) }
    if question.isWhole, new.count == passes.count, passes.count >= Self.memory, let last = handed.max() {
      // All passes in the answer are new, so there were probably more passes for which no event came.
      let first = new.map(\.number).min() ?? last
      missed += max(0, first - last - 1 - announced.filter { last < $0 && $0 < first }.count)
    }
    let absent = announced.intersection(question.announced).subtracting(new.map(\.number))
    guard question.isWhole || absent.isEmpty else {
      // More have ended in the meantime than were asked for. The absent ones come first.
      isBehind = true
      return []
    }
    missed += absent.count
    announced.subtract(new.map(\.number))
    announced.subtract(absent)
    handed = (handed + new.map(\.number)).suffix(Self.handedLimit)
    return new
  }
}
