internal import InitText

/// The type of an argument or of an option's value, and how it is parsed.
package struct ArgumentKind<Value> {
  /// The name in errors, for example "a duration".
  let noun: String
  /// The placeholder in help.
  let placeholder: String
  /// The values that a shell completes.
  let values: ArgumentValues
  let read: (String) throws(InvalidArgument) -> Value

  /// - Parameters:
  ///   - noun: the noun for the kind in errors, e.g. "a duration".
  ///   - placeholder: the placeholder in help; by default the noun.
  ///   - values: the values that a shell completes.
  ///   - read: parses a value; its error is the remedy.
  package init(
    _ noun: String, placeholder: String? = nil, values: ArgumentValues = .unknown,
    read: @escaping (String) throws(InvalidArgument) -> Value
  ) {
    self.noun = noun
    self.placeholder = placeholder ?? noun
    self.values = values
    self.read = read
  }
}

/// The reason why an argument is invalid for its type.
package struct InvalidArgument: Error {
  /// The text that follows the argument in the error.
  let explanation: String

  /// - Parameters:
  ///   - why: the problem, if it isn't obvious.
  ///   - remedy: the text to write instead.
  package init(because why: String? = nil, _ remedy: String) {
    explanation = (why.map { ": \($0)" } ?? "") + "; \(remedy)"
  }

  /// Suggests one of the allowed values for an argument that isn't among them.
  package init(_ word: String, isNoneOf words: [String]) {
    self.init(
      Suggestion.nearest(to: word, among: words).map { "did you mean \"\($0)\"?" }
        ?? "use one of \(words.joined(separator: ", "))")
  }
}

extension ArgumentKind<String> {
  /// Accepts any text.
  package static func text(_ noun: String) -> Self { text(noun, .unknown) }

  /// Accepts the path of a file.
  package static func file(_ noun: String = "file") -> Self { text(noun, .ofShell(.files)) }

  /// Accepts the path of a directory.
  package static func directory(_ noun: String = "path") -> Self { text(noun, .ofShell(.directories)) }

  private static func text(_ noun: String, _ values: ArgumentValues) -> Self {
    Self(noun, values: values) { text throws(InvalidArgument) in text }
  }
}

extension ArgumentKind<Int> {
  /// Accepts an integer of at least 1.
  package static func count(_ placeholder: String) -> Self {
    Self("number", placeholder: placeholder) { text throws(InvalidArgument) in
      guard let number = Int(text), number >= 1 else { throw InvalidArgument("write an integer of at least 1") }
      return number
    }
  }
}

extension ArgumentKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// Accepts one of the type's values.
  package static func word(_ noun: String, placeholder: String? = nil) -> Self {
    let words = Value.allCases.map { $0.rawValue }
    return Self(noun, placeholder: placeholder, values: .words(words)) { text throws(InvalidArgument) in
      guard let value = Value(rawValue: text) else { throw InvalidArgument(text, isNoneOf: words) }
      return value
    }
  }
}

extension ArgumentKind<Duration> {
  /// A duration below the protocol's limit of a billion seconds.
  package static var duration: Self {
    Self("duration") { text throws(InvalidArgument) in
      guard let duration = try? DurationText.parse(text), duration < .seconds(1_000_000_000) else {
        throw InvalidArgument("write e.g. 500ms, 30s or 2m")
      }
      return duration
    }
  }
}
