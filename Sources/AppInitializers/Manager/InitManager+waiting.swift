internal import InitCore

extension InitManager {
  /// Returns when launch is complete.
  ///
  /// - Throws: the ``AppInitializationError`` that launch failed with; `CancellationError` if the calling task is cancelled, or the manager
  ///   is ended before launch has completed or failed.
  public func launched() async throws {
    try await wait { manager -> Result<Void, any Error>? in
      switch manager.stateValues.launch {
      case .complete: .success(())
      case .failed(let error): .failure(error)
      case .pending: nil
      }
    }
  }

  /// Returns when launch and active are complete while the app is active (S1).
  ///
  /// - Throws: the ``AppInitializationError`` of the composite state; `CancellationError` if the calling task is cancelled, or the manager
  ///   has been ended.
  public func ready() async throws {
    try await wait { manager -> Result<Void, any Error>? in
      switch manager.stateValues.composite {
      case .complete: manager.isActive && !manager.machine.isEnding ? .success(()) : nil
      case .failed(let error): .failure(error)
      case .pending: nil
      }
    }
  }

  /// Returns how a pass has ended (S10), at once if it already has.
  ///
  /// - Parameter number: a number from ``activate()`` or from the delegate.
  /// - Returns: the outcome of the pass.
  /// - Throws: ``UnknownPass`` if there was no such pass, or if it ended more than ``rememberedPasses`` passes ago; `CancellationError` if
  ///   the calling task is cancelled.
  public func outcome(ofPass number: Int) async throws -> InitializationPass.Outcome {
    try await wait { manager -> Result<InitializationPass.Outcome, any Error>? in
      switch manager.machine.knowledge(of: PassID(number)) {
      case .underWay, .ended(.started): nil
      case .unknown: .failure(UnknownPass(number: number))
      case .ended(.complete): .success(.complete)
      case .ended(.cancelled): .success(.cancelled)
      case .ended(.failed(let failure)): .success(.failed(error: manager.error(of: failure)))
      }
    }
  }

  /// How many ended passes a manager remembers.
  public static var rememberedPasses: Int { Machine.rememberedPasses }
}

/// The manager doesn't know the requested pass.
public struct UnknownPass: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let number: Int

  /// Says what is wrong, and what to do.
  public var description: String {
    """
    unknown pass \(number): no pass has this number, or it is no longer remembered; use a number that activate() returned, the manager \
    remembers the last \(InitManager.rememberedPasses)
    """
  }
}
