/// The environment variables with the outputs of a command's dependencies.
///
/// The output of a dependency is in two variables. `INITD_INPUT_NAME` has the text of a string, and the JSON of any other value;
/// `INITD_INPUT_NAME_JSON` always has the JSON. NAME is the dependency's name in capitals, with `_` for each character that isn't a letter or a
/// digit. Two dependencies of one initializer must not share a variable; ``clash(in:)`` finds those that would.
public struct InputVariables: Sendable {
  /// The prefix of all names.
  public static let prefix = "INITD_INPUT_"

  /// Two dependencies that would share a variable.
  public struct Clash: Sendable, Equatable {
    /// The index of the first one.
    public let first: Int
    /// The index of the second one.
    public let second: Int
    /// The variable.
    public let variable: String
  }

  /// The variables, sorted by name.
  public let variables: [(name: String, value: String)]
  /// The first dependency, by name, whose text contains NUL, which no variable can contain; nil if there is none.
  public let unfit: String?

  /// The variables for the outputs of dependencies, by name.
  public init(_ inputs: [String: RawJSON]) {
    var variables: [(name: String, value: String)] = []
    variables.reserveCapacity(2 * inputs.count)
    var unfit: [String] = []
    for (dependency, value) in inputs {
      let (plain, json) = Self.names(of: dependency)
      let text = String(decoding: value.bytes, as: UTF8.self)
      let string = value.string
      if string?.utf8.contains(0) == true { unfit.append(dependency) }
      variables.append((plain, string ?? text))
      variables.append((json, text))
    }
    self.variables = variables.sorted { $0.name < $1.name }
    self.unfit = unfit.min()
  }

  /// The first two of a list of dependencies that would share a variable: `a-b` and `a.b`, or `a` and `a-json`; nil if there are none.
  public static func clash(in dependencies: [String]) -> Clash? {
    var places: [String: Int] = [:]
    for (place, dependency) in dependencies.enumerated() {
      let (plain, json) = names(of: dependency)
      for variable in [plain, json] {
        if let first = places.updateValue(place, forKey: variable), dependencies[first] != dependency {
          return Clash(first: first, second: place, variable: variable)
        }
      }
    }
    return nil
  }

  private static func names(of dependency: String) -> (plain: String, json: String) {
    let plain = prefix + capitals(dependency)
    return (plain, plain + "_JSON")
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
