internal import InitCore
internal import InitDeclarations

extension Manifest {
  /// Remarks about valid parts that do less than they seem to, in the order of the text: for `check`, because they may be meant.
  var notes: [String] { workers.compactMap(\.noteOfReadiness) }
}

extension Manifest.Entry<DeclaredWorker> {
  /// The note about PostgreSQL, which accepts connections before it answers queries.
  fileprivate var noteOfReadiness: String? {
    guard case .probe(let probe, _)? = declared.policy.ready, case .tcp = probe.target, programName == "postgres" else {
      return nil
    }
    return
      "\(declared.name) is ready as soon as PostgreSQL accepts connections, even while it recovers; "
      + "ready: { command: [pg_isready, -q] } waits until it answers"
  }

  /// The name of the program, without its directory; of a text, that of the first command, if it is written without quotes.
  private var programName: Substring? {
    let arguments = declared.command.arguments
    let words =
      texts.contains("command")
      ? arguments.last?.split(separator: " ").drop { $0 == "exec" } : arguments[...].map { $0[...] }[...]
    return words?.first?.split(separator: "/").last
  }
}
