internal import CommandLineOptions
internal import EventLoop
internal import InitClient
internal import InitModel
internal import InitWire
internal import InitWords
internal import Platform

/// `up`: starts the project's supervisor unless it runs, and waits until the app is ready.
struct UpCommand: ProgramCommand, Sendable {
  static let help = CommandHelp(
    "up", "Start the supervisor of this project unless it runs, and wait until the app is ready.",
    discussion: """
      The project is the nearest folder from here upwards with an init.yaml. If a supervisor runs, up reloads the manifest if it has \
      changed, and retries a launch that has failed. Then it activates the app, and prints what starts and completes. A supervisor that it \
      starts goes on in the background; its log is initd.log in the state directory, else beside the socket. initctl down ends it.

      Examples:
        initctl up
        initctl up --no-activate --timeout 5m
      """)

  private var watches = false
  private var timeout: Duration?
  private var staysInactive = false
  private var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag(
      "watch", &watches, help: "Run again what depends on files when they change, as initd --watch.")
    try options.option("timeout", &timeout, .duration, help: "Give up waiting after this time. Default: never.")
    try options.flag("no-activate", &staysInactive, help: "Don't activate the app, and wait for launch alone.")
    try connection.visit(&options)
  }

  func run() throws {
    let command = self
    try CommandLoop.run { loop in try await command.run(on: loop) }
  }

  private func run(on loop: Loop) async throws -> ProgramStatus {
    let project = try SupervisorAddress.required(in: connection.project)
    let address = try SupervisorAddress(connection)
    let checked: CheckedManifest = try ManifestProgram(checking: [project.shownManifest], ["--format", "json"]).read()
    let deadline = timeout.map { loop.now + $0 }
    let client: Client
    var log: String?
    do throws(ClientError) {
      client = try await greeted(address, loop)
    } catch {
      // After one that is ending, another one can start.
      guard error.isNobody || error.isEnd else { throw error }
      if error.isEnd { try await gone(address, loop, deadline) }
      var start = BackgroundStart(project, checked, socket: connection.socket)
      start.ignoresVariable = connection.project != nil
      start.deadline = deadline
      start.watches = watches
      start.staysInactive = staysInactive
      (client, log) = try await start.run(on: loop) { () throws(ClientError) in try await greeted(address, loop) }
    }
    if log == nil {
      let status = try await client.status()
      guard status.manifest?.contains(project.manifest) ?? false else {
        let theirs = status.manifest.map { "of \($0.joined(separator: ", "))" } ?? "without a manifest"
        Console.complain(
          "the supervisor at \(address.path) is one \(theirs), not of \(project.manifest): use --project \(project.directory), or unset INITD_SOCKET"
        )
        return .failure
      }
      try await renew(client)
    }
    let before = try await client.status()
    for process in before.processes ?? [] where process.stoppedBy != nil && process.external != true {
      let name = process.name
      Console.complain("\(name) was stopped by \(process.stoppedBy ?? ""): initctl start \(name)")
      if before[name] != nil { return .failure }
    }
    if !staysInactive, before.lifecycle == .inactive || before.active.state == .failed {
      _ = try await client.send(ActivateRequest())
    }
    let target = WaitTarget.state(staysInactive ? .launch : .ready)
    let status = try await client.awaitWithProgress([target], isAny: false, timeout: timeout, appear: false)
    guard status == .success else {
      let file = log.map { ", with its log in \($0)" } ?? ""
      Console.complain("the supervisor goes on\(file): after a fix, initctl up tries again; initctl down ends it")
      return status
    }
    let what = staysInactive ? "launch is complete" : "the app is ready"
    try Console.write("\(what): initctl status, initctl logs NAME, initctl down\n")
    return .success
  }

  /// Waits until a supervisor that is ending has closed its socket.
  private func gone(_ address: SupervisorAddress, _ loop: Loop, _ deadline: Duration?) async throws {
    Console.complain("the supervisor before is still ending")
    while SocketLink.isListening(at: address.path) {
      if let deadline, loop.now >= deadline { throw ProgramStatus.timedOut }
      await Sleep.on(loop, for: .milliseconds(50))
    }
  }

  /// Connects, and waits for the answer to hello.
  private func greeted(_ address: SupervisorAddress, _ loop: Loop) async throws(ClientError) -> Client {
    let client = try await connection.connect(to: address.path, on: loop)
    _ = try await client.send(PingRequest())
    return client
  }

  /// Lets a supervisor that runs already have the manifest of now, and try again what has failed.
  private func renew(_ client: Client) async throws {
    var status = try await client.status()
    if watches, status.watch != true {
      Console.complain("the supervisor runs already, without --watch: initctl down, then initctl up --watch")
      throw ProgramStatus.failure
    }
    if !ManifestChange.files(status, key: await client.hello?.sourceKey).isEmpty {
      _ = try await client.send(ReloadRequest())
      Console.complain("the manifest has changed, and is reloaded")
      status = try await client.status()
    }
    if status.launch.state == .failed { _ = try await client.send(LaunchRequest()) }
  }
}
