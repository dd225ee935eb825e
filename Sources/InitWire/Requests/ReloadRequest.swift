package import InitJSON
internal import InitModel
internal import InitWords

/// Reads the configuration again, and applies the changes (S27).
package struct ReloadRequest: ClientRequest, Shape {
  package static let method = "reload"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// Whether to change nothing: the answer says what would change.
  package var dryRun: Bool
  /// Whether the dependents of initializers that run again also run again.
  package var withDependents: Bool

  /// Creates a request to reload.
  package init(dryRun: Bool = false, withDependents: Bool = false) {
    self.dryRun = dryRun
    self.withDependents = withDependents
  }

  package init() { self.init(dryRun: false) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("dryRun", &dryRun)
    try json.optional("withDependents", &withDependents)
  }

  /// The result of `reload`: the differences between the previous configuration and the configuration that was read.
  package struct Result: Sendable, Shape {
    /// An initializer or a process with another definition.
    package struct Change: Sendable, Shape {
      /// The name.
      package var name = ""
      /// The changed keys, in the manifest's words.
      package var keys: [String] = []

      /// Creates an empty value, to be filled by reading.
      package init() {}
      /// Describes a change of an initializer or a process.
      package init(name: String, keys: [String]) {
        self.name = name
        self.keys = keys
      }

      /// The text for people: `name (key, key)`.
      package var words: String { "\(name) (\(keys.joined(separator: ", ")))" }

      package mutating func visit(_ json: inout Members) throws(ShapeFault) {
        try json.required("name", &name)
        try json.required("keys", &keys)
      }
    }

    /// The names of new initializers and processes, in the new order.
    package var added: [String] = []
    /// The initializers and processes whose work has changed, in the new order.
    package var changed: [Change] = []
    /// The names of removed initializers and processes, in the old order.
    package var removed: [String] = []
    /// The number of unchanged initializers and processes.
    package var unchanged = 0
    /// The unchanged initializers with a changed setting that takes effect at the next run; left out if there are none.
    package var fromNextRun: [Change]?
    /// The changed settings of the supervisor, in the manifest's words; left out if there are none.
    package var settings: [String]?
    /// Warnings about valid but probably unintended parts; left out if there are none.
    package var warnings: [ReloadRequest.Finding]?

    /// Creates an empty value, to be filled by reading.
    package init() {}

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("added", &added)
      try json.required("changed", &changed)
      try json.required("removed", &removed)
      try json.required("unchanged", &unchanged)
      try json.optional("fromNextRun", &fromNextRun)
      try json.optional("settings", &settings)
      try json.optional("warnings", &warnings)
    }
  }
}
