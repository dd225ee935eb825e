/// The exit status of a program that has told all there is to tell. Thrown, it ends the program.
package struct ProgramStatus: Error, RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// A status by its number.
  package init(_ rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// All is well.
  package static let success = ProgramStatus(0)
  /// It failed.
  package static let failure = ProgramStatus(1)
  /// Wrong usage.
  package static let usage = ProgramStatus(64)
}
