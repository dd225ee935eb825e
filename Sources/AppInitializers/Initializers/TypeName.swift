/// The names of an initializer's type.
enum TypeName {
  /// Returns the type's own name: `Migrate`, `Cache<Int>`.
  static func short(_ type: any AppInitializer.Type) -> String { String(describing: type) }

  /// Returns the name with its module and the types around it: `Orders.Migrate`.
  static func qualified(_ type: any AppInitializer.Type) -> String { parts(type).joined(separator: ".") }

  /// Returns the parts of a type's qualified name.
  ///
  /// They don't contain the compiler's placeholder for the context of a private type.
  static func parts(_ type: any AppInitializer.Type) -> [String] {
    var parts = [""]
    var depth = 0
    for character in String(reflecting: type) {
      switch character {
      case "<", "(": depth += 1
      case ">", ")": depth -= 1
      default: break
      }
      if character == ".", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    return parts.filter { !$0.hasPrefix("(unknown context at ") }
  }
}
