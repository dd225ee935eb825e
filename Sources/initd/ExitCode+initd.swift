import ArgumentParser

extension ExitCode {
  /// Wrong usage.
  static let usage = ExitCode(64)
  /// The manifest is bad.
  static let badManifest = ExitCode(65)
  /// The manifest can't be read.
  static let unreadable = ExitCode(66)
  /// The socket can't be made.
  static let noSocket = ExitCode(73)
  /// A supervisor already runs there.
  static let alreadyRunning = ExitCode(75)
}
