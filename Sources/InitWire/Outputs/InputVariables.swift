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
      "the output of \($0) has a NUL, which no environment variable can contain; remove it from the output"
    }
  }

  /// Returns the variables of as many outputs as possible, for a program that depends on none of them, and why the others are left out.
  ///
  /// Outputs that would share a variable are all left out.
  package static func fitting(_ outputs: [String: RawJSON]) -> (inputs: InputVariables, problems: [String]) {
    var fitting = outputs
    var problems: [String] = []
    for name in outputs.keys.sorted() where outputs[name]?.string?.utf8.contains(0) == true {
      fitting[name] = nil
      problems.append("the output of \(name) has a NUL, which no environment variable can contain")
    }
    var owners: [String: [String]] = [:]
    for name in fitting.keys.sorted() {
      let (plain, json) = InputVariableName.names(of: name)
      for variable in [plain, json] { owners[variable, default: []].append(name) }
    }
    for (variable, names) in owners.sorted(by: { $0.key < $1.key }) where names.count > 1 {
      let isNew = names.contains { fitting[$0] != nil }
      for name in names { fitting[name] = nil }
      if isNew {
        problems.append(
          "the outputs of \(names.joined(separator: " and ")) share the variable \(variable); rename one of them")
      }
    }
    return (InputVariables(fitting), problems)
  }
}
