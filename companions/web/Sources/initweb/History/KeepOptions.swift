internal import ArgumentParser
internal import Logging
internal import PassStore

/// The options of the history that a server keeps.
struct KeepOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep the passes in this file (SQLite): initweb history and initweb alarm read it. Without it, none are kept.",
      valueName: "path"), completion: .file())
  var history: String?
  @Option(
    help: ArgumentHelp("How long passes are kept, e.g. 30d. Default: 90d.", valueName: "duration"),
    transform: Period.init)
  var keep: Period?
  @Option(
    help: ArgumentHelp(
      "The maximum size of the history's file; beyond it, the oldest passes are deleted. Default: 64MiB.",
      valueName: "size"), transform: Size.init)
  var maxSize: Size?

  func validate() throws {
    guard history != nil || keep == nil && maxSize == nil else {
      throw ValidationError("--keep and --max-size have no effect without --history; add --history PATH")
    }
  }

  /// The limits for kept passes.
  var limits: PassStore.Limits {
    PassStore.Limits(age: keep?.duration ?? .seconds(90 * 86_400), bytes: maxSize?.bytes ?? 64 << 20)
  }

  /// The history; nil if none is kept.
  func history(logger: Logger) -> History? {
    history.map { History($0, limits: limits, logger: logger) }
  }
}
