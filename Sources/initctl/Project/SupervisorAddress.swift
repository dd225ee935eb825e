internal import CommandLineOptions
internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitWire
internal import Platform

/// Where a command looks for its supervisor, and why there.
struct SupervisorAddress: Sendable {
  /// The path at which the socket is found, perhaps a link.
  private let place: String
  /// The project whose socket it is; nil if it was given in another way.
  let project: ProjectFolder?
  /// Whether the user has said where the socket is.
  private let isGiven: Bool

  /// The path of the socket.
  var path: String { SocketLink.target(of: place) }

  /// Finds the socket: that of the option, of `$INITD_SOCKET`, of a supervisor that runs for a manifest of the nearest folder that has one,
  /// or the usual one.
  ///
  /// - Throws: `ClientError` if there is none; a status if the folder of `--project` has no manifest, or the project's directory of sockets
  ///   can't be used.
  init(_ options: ConnectionOptions) throws {
    isGiven = options.socket != nil || getenv(SocketRule.variable).map { $0.pointee != 0 } ?? false
    if let folder = options.project ?? (isGiven ? nil : WorkingDirectory.current),
      let running = Self.running(from: folder)
    {
      (place, project) = (running, nil)
      return
    }
    project = try options.project.map { try Self.required(in: $0) } ?? (isGiven ? nil : Self.found)
    guard let project else {
      place = try SocketPath.resolve(asked: options.socket)
      return
    }
    do throws(SystemError) {
      place = try project.socket(ProcessEnvironment.variables(), creates: false)
    } catch {
      Console.complain("\(error); give a path with --socket")
      throw ProgramStatus.noSupervisor
    }
  }

  /// Returns the socket of a supervisor whose manifest has a name of its own, and so can't be found: it is in this folder or above, below
  /// the nearest one with an `init.yaml`.
  private static func running(from directory: String) -> String? {
    let variables = ProcessEnvironment.variables()
    let project = ProjectFolder(from: directory)
    return ProjectFolder.folders(from: directory).prefix { $0 != project?.directory }.lazy
      .compactMap { try? ProjectFolder.socket(of: $0, variables, creates: false) }
      .first { SocketLink.isListening(at: SocketLink.target(of: $0)) }
  }

  /// The project of this folder, or of the nearest one above; nil if there is none.
  static var found: ProjectFolder? {
    WorkingDirectory.current.flatMap { ProjectFolder(from: $0) }.flatMap { $0.isTrusted ? $0 : nil }
  }

  /// Returns the project of a folder, or of the nearest one above.
  ///
  /// - Throws: a status if there is none, which is said on standard error.
  static func required(in directory: String?) throws -> ProjectFolder {
    let folder = directory ?? WorkingDirectory.current ?? "/"
    guard FileIdentity(behind: folder)?.isDirectory == true else {
      Console.complain("there is no folder \(folder)")
      throw ProgramStatus.unreadable
    }
    if let project = ProjectFolder(from: folder) {
      guard project.isTrusted else {
        Console.complain("\(project.manifest) belongs to another user; if you trust it, start initd with --config")
        throw ProgramStatus.unreadable
      }
      return project
    }
    Console.complain(
      "there is no init.yaml in \(directory ?? "this folder") or above it; write one, or name the folder with --project DIR"
    )
    throw ProgramStatus.unreadable
  }

  /// Says that no supervisor answers here, and which others there are.
  ///
  /// - Returns: whether the error says so.
  func explain(_ error: ClientError, on loop: Loop) async -> Bool {
    guard error.isNobody, !isGiven || project != nil else { return false }
    if let project {
      Console.complain(
        "no supervisor runs for \(project.directory): none listens at \(path); start one with initctl up, or give its socket with --socket"
      )
    } else {
      Console.complain("\(error), or go to a folder with an init.yaml")
    }
    for other in await FoundSupervisor.all(on: loop) {
      Console.complain("another one is \(other.state): initctl \(other.options)")
    }
    return true
  }
}

extension ClientError {
  /// Whether the socket doesn't exist, or no process listens at it.
  var isNobody: Bool {
    switch self {
    case .unreachable(.notFound), .unreachable(.refused): true
    default: false
    }
  }

  /// Whether the supervisor is ending, or has just ended.
  var isEnd: Bool {
    switch self {
    case .lost, .closed: true
    case .refused(let error): error.knownCode == .shuttingDown
    default: false
    }
  }
}

extension ConnectionOptions {
  /// Connects to a supervisor.
  func connect(to path: String, on loop: Loop) async throws(ClientError) -> Client {
    try await Client.connect(
      loop: loop, path: path, program: HelloRequest.Program(name: "initctl", version: Release.version),
      within: connectTimeout, replyTimeout: replyTimeout, onWaiting: { _ in Console.reportWaiting(path) })
  }
}
