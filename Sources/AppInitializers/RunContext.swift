package import InitCore

/// What a run is told about itself, and how it reports.
public struct RunContext: Sendable {
  /// The run as the machine asked for it.
  package let start: RunStart
  /// Who runs it.
  package let manager: InitManager

  package init(_ start: RunStart, manager: InitManager) {
    self.start = start
    self.manager = manager
  }

  /// The initializer's name.
  public var initializer: String { start.initializer }
  /// The run's number: unique, and larger than those of all runs before it.
  public var run: Int { start.run }
  /// The pass it belongs to.
  public var pass: Int { start.pass }
  /// That pass's phase, by the priority whose initializers it executes.
  public var phase: InitializerPriority { InitializerPriority(start.phase) }
  /// Which attempt this is, from 1 (S16).
  public var attempt: Int { start.attempt }
  /// How long it may take; `nil` for as long as it likes (S15).
  public var timeout: Duration? { start.timeout }

  /// Reports how far the run is (S17). Once it was told to stop, nothing comes of it.
  ///
  /// - Parameters:
  ///   - fraction: 0…1; it doesn't go down.
  ///   - message: what it is doing.
  ///   - extend: moves the deadline of a run that has one to so long from now (S15).
  public func report(fraction: Double? = nil, message: String? = nil, extend: Duration? = nil) async {
    await manager.report(run: run, fraction: fraction, message: message, extend: extend)
  }
}
