/// The names of the environment variables with the outputs of dependencies: `INITD_INPUT_NAME` and `INITD_INPUT_NAME_JSON`.
///
/// NAME is the dependency's name in capitals, with `_` for each character that isn't a letter or a digit. Two dependencies of one initializer
/// must not share a variable.
package enum InputVariableName {
  /// The prefix of all names.
  package static let prefix = "INITD_INPUT_"

  /// Two dependencies that would share a variable.
  package struct Clash: Sendable, Equatable {
    /// The index of the first one.
    package let first: Int
    /// The index of the second one.
    package let second: Int
    package let variable: String
  }

  /// Returns the first two dependencies of a list that would share a variable: `a-b` and `a.b`, or `a` and `a-json`; nil if no two do.
  package static func clash(in dependencies: [String]) -> Clash? {
    var indexes: [String: Int] = [:]
    for (index, dependency) in dependencies.enumerated() {
      let (plain, json) = names(of: dependency)
      for variable in [plain, json] {
        if let first = indexes.updateValue(index, forKey: variable), dependencies[first] != dependency {
          return Clash(first: first, second: index, variable: variable)
        }
      }
    }
    return nil
  }

  /// Returns the variables of a dependency: the variable with its text, and the variable with its JSON.
  package static func names(of dependency: String) -> (plain: String, json: String) {
    let plain = prefix + capitals(of: dependency)
    return (plain, plain + "_JSON")
  }

  /// Returns the variable of a port (S36).
  package static func port(_ name: String) -> String { "INITD_PORT_" + capitals(of: name) }

  private static func capitals(of name: String) -> String {
    let capitals = name.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: UInt8(ascii: "_")
      }
    }
    return String(decoding: capitals, as: UTF8.self)
  }
}
