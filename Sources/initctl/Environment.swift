@preconcurrency internal import Glibc

/// This process's environment.
enum Environment {
  /// As C has it; nobody changes it here.
  static var strings: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { environ }

  /// By name; of a name that stands there twice the first.
  static var variables: [String: String] {
    var variables: [String: String] = [:]
    var next = strings
    while let entry = next?.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "="), equals > text.startIndex {
        let name = String(text[..<equals])
        if variables[name] == nil { variables[name] = String(text[text.index(after: equals)...]) }
      }
      next? += 1
    }
    return variables
  }
}
