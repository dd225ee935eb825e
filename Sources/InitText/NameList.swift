/// Names in a sentence.
package enum NameList {
  /// How many names a text shows.
  private static let most = 10

  /// Returns the first of these names, and how many more there are.
  package static func shown(_ names: [String]) -> String {
    let more = names.count - most
    return names.prefix(most).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  /// Returns the first of these files, and how many more there are.
  package static func files(_ names: [String]) -> String {
    let more = names.count - 1
    return (names.first ?? "") + (more > 0 ? " and \(more) more file\(more == 1 ? "" : "s")" : "")
  }
}
