internal import CommandLineOptions
internal import InitForecasts
internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

/// A dependency on a command line: `A:B`.
///
/// Names may contain colons, so only the known names show which colon separates them.
enum DependencyText {
  /// Returns all ways to divide a text into two valid names.
  static func splits(of text: String) -> [WhatIf.Dependency] {
    text.indices.filter { text[$0] == ":" }.compactMap { colon in
      let dependent = String(text[..<colon])
      let dependency = String(text[text.index(after: colon)...])
      guard InitializerName.isValid(dependent), InitializerName.isValid(dependency) else { return nil }
      return WhatIf.Dependency(of: dependent, on: dependency)
    }
  }

  /// Returns the dependencies that these texts mean.
  ///
  /// - Throws: the exit status, after the reason was printed: a name is unknown, or a text has several meanings.
  static func resolve(_ texts: [String], among recorded: RecordedPass) throws -> Set<WhatIf.Dependency> {
    let known = Set(recorded.status.initializers.map(\.name)).union(recorded.pass.runs.map(\.initializer))
    return Set(try texts.map { try resolve($0, known) })
  }

  private static func resolve(_ text: String, _ known: Set<String>) throws -> WhatIf.Dependency {
    let all = splits(of: text)
    let meant = all.filter { known.contains($0.dependent) && known.contains($0.dependency) }
    guard let first = meant.first else {
      // If only one name of a pair is unknown, that one is reported; otherwise the first name.
      let half = all.first { known.contains($0.dependent) || known.contains($0.dependency) } ?? all[0]
      let unknown = known.contains(half.dependent) ? half.dependency : half.dependent
      throw UnknownName.complain(of: unknown, among: known.sorted(), remedy: "initctl status lists them")
    }
    guard meant.count == 1 else {
      Console.complain("\(text) can mean several pairs of names; rename one of the initializers")
      throw ProgramStatus.usage
    }
    return first
  }
}
