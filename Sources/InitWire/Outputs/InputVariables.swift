package import InitJSON
internal import InitWords

/// The environment variables with the outputs of a command's dependencies.
///
/// The output of a dependency is in two variables. `INITD_INPUT_NAME` has the text of a string, and the JSON of any other value;
/// `INITD_INPUT_NAME_JSON` always has the JSON.
package struct InputVariables: Sendable {
  /// The variables, sorted by name.
  package let variables: [(name: String, value: String)]
  /// The reason why not all outputs can be passed on, and the remedy; nil if they can.
  ///
  /// The first dependency by name is reported.
  package let fault: String?

  /// Creates the variables for the outputs of dependencies, by name.
  package init(_ inputs: [String: RawJSON]) {
    var variables: [(name: String, value: String)] = []
    variables.reserveCapacity(2 * inputs.count)
    var unfit: [String] = []
    for (dependency, value) in inputs {
      let (plain, json) = InputVariableName.names(of: dependency)
      let text = String(decoding: value.bytes, as: UTF8.self)
      let string = value.string
      if string?.utf8.contains(0) == true { unfit.append(dependency) }
      variables.append((plain, string ?? text))
      variables.append((json, text))
    }
    self.variables = variables.sorted { $0.name < $1.name }
    fault = unfit.min().map {
      "cannot pass on the output of \($0): its text contains NUL, which no environment variable can contain; remove it from the output"
    }
  }
}
