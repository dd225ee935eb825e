internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords
internal import Platform

/// A supervisor that listens at one of the usual places: a project's socket of the user, the user's own, or a service's.
struct FoundSupervisor {
  /// How long each may take to answer.
  private static let patience = Duration.seconds(2)

  /// The path of its socket.
  let path: String
  /// Its Status; nil if it didn't answer in time, or may not be asked.
  let status: Status?

  /// Asks everybody who listens at the usual places.
  static func all(on loop: Loop) async -> [FoundSupervisor] {
    var found: [FoundSupervisor] = []
    for path in candidates() {
      do throws(ClientError) {
        let client = try await Client.connect(
          loop: loop, path: path, program: HelloRequest.Program(name: "initctl", version: Release.version),
          replyTimeout: patience)
        found.append(FoundSupervisor(path: path, status: try await client.send(StatusRequest(), within: patience)))
      } catch {
        if case .unreachable(let reason) = error, case .notFound = reason { continue }
        if case .unreachable(let reason) = error, case .refused = reason { continue }
        found.append(FoundSupervisor(path: path, status: nil))
      }
    }
    return found
  }

  /// The paths of sockets at the usual places, each once.
  private static func candidates() -> [String] {
    let variables = ProcessEnvironment.variables(named: SocketRule.variables)
    var paths: [String] = []
    if let directory = try? UserRuntimeDirectory.path(variables, creates: false) {
      let names = (try? Directory.names(in: directory, atMost: 10_000)) ?? []
      paths += names.filter { $0.hasSuffix(".sock") }.map { "\(directory)/\($0)" }
    }
    let own = { (name: String) in name == SocketRule.variable ? nil : variables[name] }
    let usual = [
      variables[SocketRule.variable], SocketRule.path(asked: nil, variable: own, isRoot: geteuid() == 0),
    ]
    paths += usual.compactMap(\.self).filter { !$0.isEmpty }
    let services = (try? Directory.names(in: "/run/initd", atMost: 1000)) ?? []
    paths += services.map { "/run/initd/\($0)/initd.sock" }
    var seen: Set<String> = []
    return paths.map(SocketLink.target).filter { FileIdentity(behind: $0) != nil && seen.insert($0).inserted }
  }

  /// Whether several supervisors listen at the usual places.
  static var areSeveral: Bool {
    let places = candidates()
    return places.count > 1 && places.count { SocketLink.isListening(at: $0) } > 1
  }

  /// The folder of its manifest; nil if it has none.
  var folder: String? {
    status?.manifest?.first.map(FilePath.directory)
  }

  /// The options with which `initctl` reaches it from here.
  var options: String {
    let variables = ProcessEnvironment.variables(named: SocketRule.variables)
    guard let folder, let place = try? ProjectFolder.socket(of: folder, variables, creates: false),
      SocketLink.target(of: place) == path
    else { return "--socket \(path)" }
    return "--project \(folder)"
  }

  /// Whether it is ready, in a word.
  var state: String {
    guard let status else { return "no answer" }
    if WhyTree.why(.state(.ready), in: Situation(status))?.status == Status.State.Name.complete.rawValue {
      return "ready"
    }
    if status.composite.state == .failed { return "failed" }
    return status.lifecycle == .active ? "pending" : "inactive"
  }
}
