internal import ArgumentParser
internal import Etcd
internal import Fleet

/// `forget`: deletes the records of a release.
struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete the records of a release: which initializers are done, and which have failed.",
    discussion: """
      If the release is deployed again, its initializers with once: fleet run again.

      The command refuses while a host of the release is in the fleet, or a host runs one of its initializers. To forget old releases
      automatically, use initfleet agent --keep.

      Examples:
        initfleet forget v3
        initfleet status --json | jq -r '.once[].release' | sort -u
      """)

  @Argument(help: "The release.") var release: String
  @Flag(help: "Forget it even if hosts of this release are in the fleet. A running initializer always prevents it.")
  var force = false
  @OptionGroup(title: "The fleet") var options: FleetOptions

  func validate() throws {
    if release.isEmpty { throw ValidationError("the release is empty; initfleet status --json has their names") }
  }

  @FleetActor func run() async throws {
    let forgetting = try await Forgetting(try options.connect())
    let records = forgetting.records
    if let reason = records.reason(toKeep: release, forgetting.hosts), !(force && reason.mayBeForced) {
      Console.complain("cannot forget the release \(release): \(reason.words)")
      throw ExitCode.failure
    }
    let initializers = records.initializers(of: release).map(\.name)
    guard !initializers.isEmpty else {
      let known = records.releases.isEmpty ? "" : "; there are records of \(records.releases.joined(separator: ", "))"
      Console.complain("there are no records of a release \(release)\(known)")
      throw ExitCode.failure
    }
    guard try await forgetting.forget(release) else {
      Console.complain("cannot forget the release \(release): its records have changed in the meantime; try again")
      throw ExitCode.failure
    }
    try Console.write(Console.visible("forgot the release \(release): \(initializers.joined(separator: ", "))") + "\n")
  }
}

extension ReleaseRecords.Reason {
  /// A text that says why, and what to do.
  fileprivate var words: String {
    switch self {
    case .claimed(let initializer, let host): "\(host) runs its initializer \(initializer); wait until that has ended"
    case .used(let hosts):
      "\(hosts.joined(separator: ", ")) \(hosts.count == 1 ? "has" : "have") it; give --force to forget it nevertheless"
    case .unknown(let hosts):
      "the release of \(hosts.joined(separator: ", ")) isn't known yet; try again, or give --force"
    }
  }
}
