import CommandLineOptions

extension ProgramStatus {
  /// The manifest is invalid.
  static let badManifest = ProgramStatus(65)
  /// The manifest can't be read.
  static let unreadable = ProgramStatus(66)
  /// The socket can't be created.
  static let noSocket = ProgramStatus(73)
  /// A supervisor already runs there.
  static let alreadyRunning = ProgramStatus(75)
}
