/// Where a command finds what its dependencies have handed over: environment variables with the JSON.
///
/// A variable's name is `INITD_INPUT_` and the dependency's in capitals, each character that isn't a letter or digit as `_`. Of two
/// dependencies that would share one, neither has it.
public struct InputVariables: Sendable {
  /// What all their names begin with.
  public static let prefix = "INITD_INPUT_"

  /// The variables, sorted by name.
  public let variables: [(name: String, value: String)]
  /// The dependencies that would share a variable, and so have none.
  public let ambiguous: [String]

  /// The variables for what dependencies, by name, have handed over.
  public init(_ inputs: [String: RawJSON]) {
    guard !inputs.isEmpty else {
      (variables, ambiguous) = ([], [])
      return
    }
    let named = Dictionary(grouping: inputs.keys) { Self.prefix + Self.capitals($0) }
    variables = named.sorted { $0.key < $1.key }.compactMap { variable, names in
      guard names.count == 1, let value = inputs[names[0]] else { return nil }
      return (variable, String(decoding: value.bytes, as: UTF8.self))
    }
    ambiguous = named.values.filter { $0.count > 1 }.flatMap { $0 }.sorted()
  }

  private static func capitals(_ name: String) -> String {
    String(
      decoding: name.utf8.map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        default: UInt8(ascii: "_")
        }
      }, as: UTF8.self)
  }
}
