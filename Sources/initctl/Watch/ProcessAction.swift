internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire

/// What a key of `watch` does with a process, after a question.
struct ProcessAction: Equatable {
  enum Verb: String {
    case stop
    case start
    case restart
    case external
  }

  let verb: Verb
  let name: String

  /// Returns what a key does with a process; nil if the key is none of these.
  ///
  /// The key that stops a process starts one that was stopped.
  init?(_ key: Character, _ process: Status.Process) {
    name = process.name
    switch key {
    case "s": verb = process.stoppedBy == nil ? .stop : .start
    case "r": verb = .restart
    case "x": verb = .external
    default: return nil
    }
  }

  /// The keys of actions.
  static let keys: [Character] = ["s", "r", "x"]

  /// The question, escaped.
  var question: String {
    let name = TerminalText.escape(name)
    switch verb {
    case .stop, .start, .restart: return "\(verb.rawValue) \(name)? y does it, any other key doesn't"
    case .external: return "stop \(name), because you run it by hand? y does it, any other key doesn't"
    }
  }

  /// What has been done, escaped.
  private var outcome: String {
    let name = TerminalText.escape(name)
    switch verb {
    case .stop: return "\(name) is stopped; s starts it again"
    case .start: return "\(name) is started"
    case .restart: return "\(name) is restarted"
    case .external: return "\(name) is stopped: what answers its ready counts as \(name), until s starts it again"
    }
  }

  /// Requests it.
  ///
  /// - Returns: what has been done, or why it can't be done.
  func perform(on client: Client) async -> Message {
    do throws(ClientError) {
      switch verb {
      case .stop: _ = try await client.send(StopRequest(names: [name]))
      case .start: _ = try await client.send(StartRequest(names: [name]))
      case .restart: _ = try await client.send(RestartRequest(names: [name]))
      case .external:
        var request = StopRequest(names: [name])
        request.external = true
        _ = try await client.send(request)
      }
      return Message(text: outcome, isError: false)
    } catch {
      // The name of a param means nothing to a person.
      let text = "\(error)"
      let param = "params.names: "
      return Message(
        text: TerminalText.escape(text.hasPrefix(param) ? String(text.dropFirst(param.count)) : text), isError: true)
    }
  }

  /// A line for the person who has pressed the key.
  struct Message: Equatable {
    let text: String
    let isError: Bool
  }
}
