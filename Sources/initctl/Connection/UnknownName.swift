internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// What is told when a command names an initializer that nobody has declared.
enum UnknownName {
  /// Tells it on standard error, with the name that was probably meant; the exit status.
  ///
  /// - Parameters:
  ///   - words: what else may stand in the name's place.
  ///   - remedy: what to do if no name is near.
  static func complain(of name: String, on client: Client, words: [String] = [], remedy: String) async -> ProgramStatus
  {
    // Without the names nothing can be suggested.
    let names = (try? await client.status())?.initializers.map(\.name) ?? []
    let meant = Suggestion.nearest(to: name, among: words + names)
    Console.complain("no initializer is named \"\(name)\"; \(meant.map { "did you mean \"\($0)\"?" } ?? remedy)")
    return .usage
  }
}
