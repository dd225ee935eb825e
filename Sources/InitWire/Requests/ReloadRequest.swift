package import InitJSON
package import InitModel

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

  package typealias Result = ConfigurationChanges
}
