internal import CommandLineOptions
internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitText
internal import InitWire
internal import Platform

/// Starts a project's `initd` in the background, with its log in a file.
struct BackgroundStart {
  /// The time between two looks at whether it listens.
  private static let pause = Duration.milliseconds(10)
  /// How much of the log of a failed start is shown, in bytes.
  private static let shown = 16 << 10

  private let project: ProjectFolder
  private let socket: String?
  private let stateDirectory: String?
  var watches = false
  var staysInactive = false
  /// Whether the project's socket is meant, although `INITD_SOCKET` names another one.
  var ignoresVariable = false
  /// When to give up, in the loop's time; nil for never.
  var deadline: Duration?

  init(_ project: ProjectFolder, _ checked: CheckedManifest, socket: String?) {
    self.project = project
    self.socket = socket.map(WorkingDirectory.absolute)
    stateDirectory = checked.stateDirectory.map { $0.hasPrefix("/") ? $0 : project.directory + "/" + $0 }
  }

  /// Starts it, and waits until `connect` succeeds.
  ///
  /// - Returns: the client, and the file of the log.
  /// - Throws: the exit status of `initd` if it has ended before; what it has said is printed then.
  func run(on loop: Loop, connect: () async throws(ClientError) -> Client) async throws -> (Client, log: String) {
    let log = try logPath()
    do {
      // What isn't a regular file is refused; a pipe would block.
      _ = try FileIdentity(at: log).map { _ in try RegularFile.open(log, followsLink: false) }
    } catch {
      Console.complain("cannot use \(log) for the log: it must be a regular file of your own; remove it")
      throw ProgramStatus(73)
    }
    let start = FileIdentity(at: log)?.size ?? 0
    if ignoresVariable { unsetenv(SocketRule.variable) }
    // It is started in another directory.
    for name in SocketRule.variables {
      if let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty {
        setenv(name, WorkingDirectory.absolute(value), 1)
      }
    }
    let pid = try spawn(log: log)
    while true {
      do throws(ClientError) { return (try await connect(), log) } catch {
        guard error.isNobody else { throw error }
      }
      var code: Int32 = 0
      if waitpid(pid, &code, WNOHANG) == pid {
        let exit = code & 0x7F == 0 ? ProgramStatus(code >> 8 & 0xFF) : .failure
        let status = exit == .success ? .failure : exit
        // Another one has been faster.
        if status.rawValue == 75, let client = try? await connect() { return (client, log) }
        Console.explain([Self.text(of: log, from: start)].filter { !$0.isEmpty })
        let how = code & 0x7F == 0 ? "with exit status \(exit.rawValue)" : "by signal \(code & 0x7F)"
        Console.complain("initd has ended \(how); its log is \(log)")
        throw status
      }
      if let deadline, loop.now >= deadline {
        Console.complain("initd doesn't listen yet; its log is \(log)")
        throw ProgramStatus.timedOut
      }
      await Sleep.on(loop, for: Self.pause)
    }
  }

  private func logPath() throws -> String {
    if let stateDirectory {
      guard mkdir(stateDirectory, 0o700) == 0 || errno == EEXIST else {
        let error = SystemError.last("create", stateDirectory)
        Console.complain("\(error); create its parent, or correct stateDirectory")
        throw ProgramStatus(73)
      }
      return stateDirectory + "/initd.log"
    }
    let socket = try project.socket(ProcessEnvironment.variables(), creates: true)
    return String(socket.dropLast(".sock".count)) + ".log"
  }

  private func spawn(log: String) throws -> pid_t {
    let manifest = FilePath.name(of: project.manifest)
    var options = ["--config", manifest, "--log-file", log]
    if let socket { options += ["--socket", socket] }
    if watches { options.append("--watch") }
    if staysInactive { options.append("--no-activate") }
    return try ManifestProgram(options).spawnInBackground(in: project.directory, log: log)
  }

  /// Returns what the log says from a position on.
  private static func text(of log: String, from start: Int) -> String {
    guard let file = try? RegularFile.open(log, followsLink: false),
      let bytes = try? file.contents(upTo: .max, log)
    else { return "" }
    return bytes.dropFirst(start).suffix(shown).split(separator: UInt8(ascii: "\n")).map {
      TerminalText.output(String(decoding: $0, as: UTF8.self))
    }.joined(separator: "\n")
  }
}
