/// A number that identifies a run, a pass, a worker or another value.
///
/// Each kind has a type of its own, so an identifier of one kind can't be passed for another.
public protocol Identifier: RawRepresentable<Int>, Hashable, Comparable, Sendable, CustomStringConvertible,
  ExpressibleByIntegerLiteral
{
  /// Creates the identifier with that number.
  init(rawValue: Int)
}

extension Identifier {
  /// Creates the identifier with that number.
  @inlinable public init(_ number: Int) { self.init(rawValue: number) }

  /// Creates the identifier with that number.
  @inlinable public init(integerLiteral number: Int) { self.init(rawValue: number) }

  /// The number.
  @inlinable public var description: String { String(rawValue) }

  /// The identifier after this one.
  @inlinable package var next: Self { Self(rawValue: rawValue + 1) }

  /// Orders identifiers by number.
  @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Identifies a run: unique, and larger than the numbers of all previous runs.
public struct RunID: Identifier {
  /// The number, as people and the protocol see it.
  public let rawValue: Int
  /// Identifies the run with that number.
  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}

/// A pass.
///
/// Passes are numbered from 1 across both phases (S10).
public struct PassID: Identifier {
  /// The number, as people and the protocol see it.
  public let rawValue: Int
  /// Identifies the pass with that number.
  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}

/// A connection that keeps the app active while it lives (S23), numbered by the machine's driver.
public struct HoldID: Identifier {
  /// The driver's number.
  public let rawValue: Int
  /// Identifies the hold with that number.
  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}

/// A connected worker, numbered by the machine's driver.
public struct WorkerID: Identifier {
  /// The driver's number.
  public let rawValue: Int
  /// Identifies the worker with that number.
  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}

/// An initializer: its index in the order of registration.
///
/// The index changes only if an initializer with a smaller index is removed.
public struct InitializerIndex: Identifier {
  /// The index, from 0.
  public let rawValue: Int
  /// Identifies the initializer at that index.
  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}

/// An item of a plan: its index in the order of the plan.
public struct PlanIndex: Identifier {
  /// The index, from 0.
  public let rawValue: Int
  /// Identifies the item at that index.
  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}
