/// What runs initializers and says how far they are: an ``InitManager``, or a supervisor that is part of the program.
public protocol Initialization: Sendable {
  /// The composite state (S1); its values end when there is nothing more to come.
  var state: ObservableState { get }
  /// The app became active (S10).
  ///
  /// - Returns: the number of the pass that it started or joined.
  @discardableResult func activate() async -> Int
  /// The program is about to end: nothing starts any more, and what ran was cancelled and has stopped when this returns (S13, S24).
  func finish() async
}
