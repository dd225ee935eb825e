/// The exit status of a program.
///
/// Throwing this error ends the program without a further message.
package struct ProgramStatus: Error, RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Creates a status with this number.
  package init(_ rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let success = ProgramStatus(0)
  package static let failure = ProgramStatus(1)
  /// Wrong usage.
  package static let usage = ProgramStatus(64)
}
