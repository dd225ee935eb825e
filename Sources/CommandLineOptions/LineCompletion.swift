internal import InitText
internal import InitWords

/// The answer to a shell that completes a command line: the candidates for the last word.
///
/// The shell selects the candidates that match the text typed so far.
package struct LineCompletion: Sendable {
  /// A word that is allowed at this position.
  package struct Candidate: Sendable {
    let word: String
    /// An explanation that some shells show beside it.
    let explanation: String

    package init(_ word: String, _ explanation: String = "") {
      self.word = word
      self.explanation = explanation
    }
  }

  private var candidates: [Candidate] = []
  /// The names that the supervisor must be asked for.
  package private(set) var names: SupervisorNames?
  /// The kind of words that the shell completes itself.
  private var ofShell: ShellWords?
  /// The beginning of the last word that isn't part of the value, for example `--phase=`.
  private var prefix = ""
  private var given: GivenWords?
  /// The values that were given before.
  private var earlier: [String] = []

  /// Creates a completion without candidates.
  init() {}

  init(_ candidates: [Candidate]) { self.candidates = candidates }

  /// Leaves the completion to the shell, because only the shell knows these words.
  init(_ words: ShellWords) { ofShell = words }

  /// Completes the value of an option or argument.
  ///
  /// `word` is the last word, or its part that is the value. `prefix` is the part before the value. `given` are the words before it.
  /// Values that are among them aren't proposed again.
  init(of option: OptionDescription, _ word: String, prefix: String = "", after given: GivenWords) {
    self.prefix = prefix
    self.given = given
    earlier = option.kind == .option ? given.values(of: option.name) : given.arguments
    switch option.values {
    case .unknown: break
    case .words(let words): add(words.map { Candidate($0) })
    case .names(let names):
      // After "name=", a number or duration follows.
      guard !names.suffix.contains(where: word.contains) else { break }
      self.names = names
      add(names.words.map { Candidate($0) })
    case .ofShell(let words): ofShell = words
    }
  }

  /// Returns the value of an option that is given before the last word.
  package func value(of option: String) -> String? { given?.values(of: option).last }

  /// Adds the supervisor's names.
  ///
  /// Names that no command accepts are left out: a terminal or a shell could interpret them in another way.
  package mutating func add(names found: [Candidate]) {
    guard let names else { return }
    let valid = found.filter { InitializerName.isValid($0.word) }
    add(valid.map { Candidate($0.word + names.suffix, TerminalText.escape($0.explanation)) })
  }

  private mutating func add(_ values: [Candidate]) {
    let earlier = Set(earlier)
    candidates += values.filter { !earlier.contains($0.word) }.map { Candidate(prefix + $0.word, $0.explanation) }
  }

  /// The answer: one line for each candidate, with its explanation after a tab; or `:files`, `:directories` or `:commands`.
  package var text: String {
    let lines = candidates.map { $0.explanation.isEmpty ? $0.word : "\($0.word)\t\($0.explanation)" }
    return (lines + (ofShell.map { [":" + $0.rawValue] } ?? [])).map { $0 + "\n" }.joined()
  }
}
