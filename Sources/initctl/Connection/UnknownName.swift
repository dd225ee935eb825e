internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire

/// The message for an unknown initializer.
enum UnknownName {
  /// The beginning of the supervisor's message about a name that is known, but not fit.
  private static let wrongNames = "params.names: "
  private static let remedy = "initctl status lists them"

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
    guard case .refused(let refusal) = error else { throw error }
    if refusal.knownCode == .invalidParams, refusal.message.hasPrefix(wrongNames) {
      Console.complain(String(refusal.message.dropFirst(wrongNames.count)))
      return .usage
    }
    guard refusal.knownCode == .unknownInitializer else { throw error }
    let status = try await client.send(StatusRequest())
    let known = status.initializers.map(\.name) + (status.processes ?? []).map(\.name)
    return complain(ofUnknown: names, among: known) ?? complain(of: names[0], among: known, remedy: remedy)
  }

  /// Complains about each of several names that isn't known, and returns the exit status; `nil` if all are known.
  static func complain(ofUnknown names: [String], among known: [String]) -> ProgramStatus? {
    let unknown = names.filter { !known.contains($0) }
    return unknown.map { complain(of: $0, among: known, remedy: remedy) }.last
  }

  /// Complains about a name, if the Status is already known.
  static func complain(
    of name: String, among status: Status?, words: [String] = [], remedy: String
  ) -> ProgramStatus {
    let processes = (status?.processes ?? []).map(\.name)
    return complain(of: name, among: words + (status?.initializers.map(\.name) ?? []) + processes, remedy: remedy)
  }

  /// Complains about a name, with names that are already known.
  ///
  /// `noun` says what has such a name.
  @discardableResult
  static func complain(
    of name: String, among known: [String], noun: String = "initializer or process", remedy: String
  ) -> ProgramStatus {
    let meant = Suggestion.nearest(to: name, among: known)
    Console.complain("no \(noun) is named \"\(name)\"; \(meant.map { "did you mean \"\($0)\"?" } ?? remedy)")
    return .usage
  }
}
