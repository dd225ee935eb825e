internal import ArgumentParser
internal import Foundation
internal import InitClient
internal import PassStore
internal import Passes

/// `initweb record`: stores the passes that a supervisor remembers, once.
struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Store the passes that a supervisor remembers in a history, and end.",
    discussion: """
      This is for CI, without a server. A supervisor remembers its last 32 passes. Passes that are already in the history stay unchanged.

      Examples:
        initctl activate --wait
        initweb record --history history.db && initweb alarm --history history.db
      """)

  @Option(
    help: ArgumentHelp(
      "The supervisor's socket; one of --observe-socket suffices. Default: the same as for initctl.",
      valueName: "path"), completion: .file())
  var socket: String?
  @OptionGroup var keep: KeepOptions

  func validate() throws {
    guard keep.history != nil else {
      throw ValidationError("--history PATH is missing: the file that the passes are stored in")
    }
  }

  func run() async throws {
    let passes: [EndedPass]
    do {
      let client = try await SupervisorClient.connect(at: socket, named: "initweb", within: .zero)
      let records = try await client.history(limit: PassFeed.memory)
      let instance = try await client.instance()
      passes = records.compactMap { EndedPass($0, instance: instance) }
    } catch let error as SupervisorError {
      throw complain(error.description.replacing("the parameter `at:`", with: "--socket"), .unavailable)
    }
    do {
      let store = try await PassStore.open(keep.history ?? "")
      let new = try await store.store(passes)
      let deleted = try await store.prune(to: keep.limits, now: Date().timeIntervalSince1970)
      await store.close()
      print("\(new) new passes stored, \(deleted) old ones deleted")
    } catch {
      throw complain("\(error)", .unusable)
    }
  }
}
