/// A rule for the value of a member.
public struct Rule<Value>: Sendable {
  /// The rule for the error message: "must be …".
  @usableFromInline let requirement: String
  /// Whether a value keeps to it.
  public let allows: @Sendable (Value) -> Bool

  /// A rule.
  public init(requirement: String, allows: @escaping @Sendable (Value) -> Bool) {
    self.requirement = requirement
    self.allows = allows
  }
}

extension Rule<Int> {
  /// A number, counted from 1 on.
  public static var positive: Rule { Rule(requirement: "must be an integer of at least 1") { $0 >= 1 } }
  /// A number, counted from 0 on.
  public static var natural: Rule { Rule(requirement: "must be an integer of at least 0") { $0 >= 0 } }
  /// A number that every language can hold and count on from: at most 2^53 - 1.
  public static let counted = Rule(requirement: "must be an integer between -9007199254740991 and 9007199254740991") {
    -9_007_199_254_740_991...9_007_199_254_740_991 ~= $0
  }
}

extension Rule<Double> {
  /// The maximum duration in seconds.
  ///
  /// A longer one is a mistake, and no timer accepts it.
  private static var longest: Double { 1e9 }

  /// A duration in seconds.
  public static var seconds: Rule {
    Rule(requirement: "must be a number of seconds, at least 0 and less than 1e9") { 0..<longest ~= $0 }
  }
  /// A factor by which a delay grows.
  public static var factor: Rule {
    Rule(requirement: "must be a number, at least 1 and less than 1e9") { 1..<longest ~= $0 }
  }
  /// A duration or a moment in seconds, with which one can calculate: less than 32,000 years.
  public static let measured = Rule(requirement: "must be a number between -1e12 and 1e12") { -1e12...1e12 ~= $0 }
  /// A fraction, 0…1.
  public static var fraction: Rule { Rule(requirement: "must be a number from 0 to 1") { 0...1 ~= $0 } }
}
