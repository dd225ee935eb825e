/// Names in a sentence.
package enum NameList {
  /// How many names a text shows.
  private static let most = 10

  /// Returns the first of these names, and how many more there are.
  package static func shown(_ names: [String]) -> String {
    let more = names.count - most
    return names.prefix(most).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
