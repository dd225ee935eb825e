internal import Platform

/// The questions about one host to all name servers: a value that decides the next question.
struct Resolution: Equatable {
  /// What follows.
  enum Step: Equatable {
    /// Send `messages` to all servers, now and again.
    case ask
    /// Wait for further answers.
    case wait
    /// The lookup has found these addresses.
    case found([IPAddress])
    /// There are none, for this reason.
    case failed(String)
  }

  private let file: ResolverFile
  private var names: ArraySlice<String>
  private var questions: [NameQuestion] = []
  private var answers: [NameQuestion.Kind: [IPAddress]] = [:]
  /// The servers that can't answer, and why.
  private var faults: [Int: String] = [:]
  private var isKnown = false
  private let makeID: () -> UInt16

  /// - Parameters:
  ///   - host: the name to look up.
  ///   - file: the servers, and the domains in which short names are searched.
  ///   - id: makes numbers that can't be guessed.
  init(_ host: String, _ file: ResolverFile, id: @escaping () -> UInt16) {
    self.file = file
    names = file.names(of: host)[...]
    makeID = id
  }

  static func == (left: Resolution, right: Resolution) -> Bool {
    left.questions == right.questions && left.names == right.names && left.answers == right.answers
      && left.faults == right.faults
  }

  /// The questions that aren't answered.
  var messages: [[UInt8]] { questions.filter { answers[$0.kind] == nil }.compactMap(\.message) }

  /// The reason while no server has answered.
  var silence: String {
    let servers = file.servers.map(\.description).joined(separator: ", ")
    return file.servers.count == 1
      ? "the name server \(servers) doesn't answer" : "none of the name servers answers: \(servers)"
  }

  /// Asks for the first name.
  mutating func begin() -> Step { next() }

  /// Handles a message from a server.
  mutating func received(_ message: [UInt8], from server: Int) -> Step {
    for question in questions where answers[question.kind] == nil {
      switch question.answer(in: message) {
      case nil: continue
      case .addresses(let found):
        isKnown = true
        answers[question.kind] = found
        return conclude()
      case .unknown:
        answers[question.kind] = []
        return conclude()
      case .refused(let code): return failed(server, "it answered with \(Self.word(code))")
      }
    }
    return .wait
  }

  /// Handles the failure to ask a server.
  mutating func failed(_ server: Int, _ why: String) -> Step {
    faults[server] = why
    guard faults.count == file.servers.count, let first = faults.min(by: { $0.key < $1.key }) else { return .wait }
    return .failed("the name server \(file.servers[first.key]) fails: \(first.value)")
  }

  /// Handles that some time has passed without all answers: the known answers are enough, or the questions are asked again.
  mutating func waited() -> Step {
    let found = addresses
    return found.isEmpty ? .ask : .found(found)
  }

  private var addresses: [IPAddress] { NameQuestion.Kind.allCases.flatMap { answers[$0] ?? [] } }

  private mutating func conclude() -> Step {
    guard answers.count == NameQuestion.Kind.allCases.count else { return .wait }
    let found = addresses
    return found.isEmpty ? next() : .found(found)
  }

  private mutating func next() -> Step {
    while let name = names.popFirst() {
      answers = [:]
      faults = [:]
      questions = NameQuestion.Kind.allCases.map { NameQuestion(id: makeID(), name: name, kind: $0) }
      if messages.count == questions.count { return .ask }
    }
    return .failed(isKnown ? "it has no address" : "there is no such name")
  }

  private static func word(_ code: UInt8) -> String {
    switch code {
    case 1: "FORMERR"
    case 2: "SERVFAIL"
    case 4: "NOTIMP"
    case 5: "REFUSED"
    default: "the code \(code)"
    }
  }
}
