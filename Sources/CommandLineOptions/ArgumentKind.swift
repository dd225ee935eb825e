internal import InitWire

/// What an argument, or an option's value, is, and how it is read.
package struct ArgumentKind<Value> {
  /// What it is called in errors, as in "a duration".
  let noun: String
  /// What stands for it in help.
  let placeholder: String
  let read: (String) throws(InvalidArgument) -> Value

  /// - Parameters:
  ///   - noun: what it is called in errors, as in "a duration".
  ///   - placeholder: what stands for it in help; the noun unless said.
  ///   - read: gives its value, or says what to write instead.
  package init(
    _ noun: String, placeholder: String? = nil, read: @escaping (String) throws(InvalidArgument) -> Value
  ) {
    self.noun = noun
    self.placeholder = placeholder ?? noun
    self.read = read
  }
}

/// Why a word is no value of its kind.
package struct InvalidArgument: Error {
  /// What follows the word in the message.
  let explanation: String

  /// - Parameters:
  ///   - why: what is wrong, if that needs telling.
  ///   - remedy: what to write instead.
  package init(because why: String? = nil, _ remedy: String) {
    explanation = (why.map { ": \($0)" } ?? "") + "; \(remedy)"
  }

  /// One that should have been among some words.
  package init(_ word: String, isNoneOf words: [String]) {
    self.init(
      Suggestion.nearest(to: word, among: words).map { "did you mean \"\($0)\"?" }
        ?? "use one of \(words.joined(separator: ", "))")
  }
}

extension ArgumentKind<String> {
  /// Any text.
  package static func text(_ noun: String) -> Self {
    Self(noun) { text throws(InvalidArgument) in text }
  }
}

extension ArgumentKind<Int> {
  /// An integer of at least 1.
  package static func count(_ placeholder: String) -> Self {
    Self("number", placeholder: placeholder) { text throws(InvalidArgument) in
      guard let number = Int(text), number >= 1 else { throw InvalidArgument("write an integer of at least 1") }
      return number
    }
  }
}

extension ArgumentKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the type's words.
  package static func word(_ noun: String, placeholder: String? = nil) -> Self {
    Self(noun, placeholder: placeholder) { text throws(InvalidArgument) in
      guard let value = Value(rawValue: text) else {
        throw InvalidArgument(text, isNoneOf: Value.allCases.map(\.rawValue))
      }
      return value
    }
  }
}
