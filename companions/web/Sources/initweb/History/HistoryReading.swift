internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import PassStore
internal import Passes

/// The options of the commands that read the history.
struct HistoryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The history's file, as given to initweb serve.", valueName: "path"), completion: .file())
  var history: String

  @Option(
    help: ArgumentHelp("Only passes of this phase: launch or active.", valueName: "phase"),
    completion: .list(Phase.allCases.map(\.rawValue)), transform: Self.phase)
  var phase: Phase?

  /// Opens the history.
  func read() async throws -> PassStore {
    do { return try await PassStore.read(history) } catch { throw unreadable(error) }
  }

  private static func phase(_ text: String) throws -> Phase {
    guard let phase = Phase(rawValue: text) else { throw ValidationError("use launch or active") }
    return phase
  }

  /// Explains on standard error why the history can't be read, and returns the exit status.
  func unreadable(_ error: StoreError) -> ExitCode { complain("\(error)", .unusable) }
}

extension ExitCode {
  /// There aren't enough passes to compare with.
  static let undecided = ExitCode(2)
  /// A file can't be used.
  static let unusable = ExitCode(66)
  /// No supervisor answers.
  static let unavailable = ExitCode(69)
}

/// Prints a message on standard error, and returns the exit status.
func complain(_ message: String, _ status: ExitCode) -> ExitCode {
  FileHandle.standardError.write(Data("initweb: \(message)\n".utf8))
  return status
}
