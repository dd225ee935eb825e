internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire

extension Client {
  /// Asks for the environment and the directory that the next start of a command or a process would get.
  ///
  /// If nothing with an environment has the name, prints why on standard error.
  ///
  /// - Throws: then the exit status; otherwise the `ClientError` of the request.
  func environment(of name: String) async throws -> EnvironmentRequest.Result {
    do throws(ClientError) {
      return try await send(EnvironmentRequest(name: name))
    } catch {
      guard case .refused(let refusal) = error else { throw error }
      guard refusal.knownCode == .unknownInitializer else {
        // The supervisor refuses with the same code if no variable can hold an input; its own message then says so.
        guard refusal.knownCode == .invalidParams, refusal.message.hasPrefix("params.name: \(name) is neither ") else {
          throw error
        }
        Console.complain(
          "\(name) is neither a command nor a process, so it has no environment; initctl status lists them")
        throw ProgramStatus.usage
      }
      let status = try? await send(StatusRequest())
      let known = (status?.initializers.map(\.name) ?? []) + (status?.processes?.map(\.name) ?? [])
      throw UnknownName.complain(of: name, among: known, remedy: "initctl status lists them")
    }
  }
}
