internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire

/// The message for an unknown initializer.
enum UnknownName {
  /// Prints the unknown name on standard error, with the most similar name.
  ///
  /// Returns the exit status.
  ///
  /// `words` are further texts that are allowed instead of a name. `remedy` is the advice if no name is similar.
  static func complain(of name: String, on client: Client, words: [String] = [], remedy: String) async -> ProgramStatus
  {
    // If the names can't be fetched, nothing is suggested.
    complain(of: name, among: try? await client.send(StatusRequest()), words: words, remedy: remedy)
  }

  /// Complains about the unknown one of several names, if a request was refused because of it; else throws the request's error.
  static func complain(
    of names: [String], after error: ClientError, on client: Client
  ) async throws(ClientError) -> ProgramStatus {
    guard case .refused(let refusal) = error, refusal.knownCode == .unknownInitializer else { throw error }
    let known = try await client.send(StatusRequest()).initializers.map(\.name)
    return complain(
      of: names.first { !known.contains($0) } ?? names[0], among: known, remedy: "initctl status lists them")
  }

  /// Complains about a name, if the Status is already known.
  static func complain(
    of name: String, among status: Status?, words: [String] = [], remedy: String
  ) -> ProgramStatus {
    complain(of: name, among: words + (status?.initializers.map(\.name) ?? []), remedy: remedy)
  }

  /// Complains about a name, with names that are already known.
  static func complain(of name: String, among known: [String], remedy: String) -> ProgramStatus {
    let meant = Suggestion.nearest(to: name, among: known)
    Console.complain("no initializer is named \"\(name)\"; \(meant.map { "did you mean \"\($0)\"?" } ?? remedy)")
    return .usage
  }
}
