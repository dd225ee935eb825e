internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire

extension LineCompletion {
  /// The maximum time for the supervisor's answer: a user who types waits for it.
  private static let patience = Duration.milliseconds(300)

  /// Prints the candidates, with the names of the running supervisor.
  ///
  /// Without a supervisor, or if it doesn't answer in time, there are no names.
  func answer() throws {
    guard let names else { return try Console.write(text) }
    try CommandLoop.run { loop in
      var completion = self
      if let path = try? SocketPath.resolve(asked: value(of: "socket")),
        let client = try? await Client.connect(
          loop: loop, path: path, program: HelloRequest.Program(name: "initctl", version: Release.version)),
        let status = try? await client.send(StatusRequest(), within: LineCompletion.patience)
      {
        completion.add(names: LineCompletion.candidates(names, in: status))
      }
      try Console.write(completion.text)
      return .success
    }
  }

  /// Returns the names of a Status, each with its status.
  static func candidates(_ names: SupervisorNames, in status: Status) -> [Candidate] {
    let processes = names.includesProcesses ? status.processes ?? [] : []
    return status.initializers.map { Candidate($0.name, $0.status.phrase) }
      + processes.map { Candidate($0.name, "process") }
  }
}
