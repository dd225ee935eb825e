package import InitJSON
internal import InitModel

/// Asks for the environment and the directory that the next start of a command or a process would get.
package struct EnvironmentRequest: ClientRequest, Shape {
  package static let method = "environment"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// The initializer or process.
  package var name: String

  /// Creates the request.
  package init(name: String) { self.name = name }

  package init() { self.init(name: "") }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name, .initializerName)
  }

  /// The result of `environment`.
  package struct Result: Sendable, Shape {
    /// The values by name; without the variables that only a run has, and the inputs that have no value yet.
    package var variables: [String: String] = [:]
    /// The working directory.
    package var directory = ""

    package init() {}

    /// Creates the answer to `environment`.
    package init(variables: [String: String], directory: String) {
      self.variables = variables
      self.directory = directory
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("variables", &variables)
      try json.required("directory", &directory)
    }
  }
}
