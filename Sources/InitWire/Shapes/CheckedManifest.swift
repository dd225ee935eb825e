package import InitJSON

/// The initializers that the passes of launch and active would run, in order (`initctl plan`).
package struct PlannedPasses: Sendable, Equatable {
  /// The names that a launch would run.
  package var launch: [String] = []
  /// The names that an activation would run after it.
  package var active: [String] = []

  package init() {}

  /// Creates a plan.
  package init(launch: [String], active: [String]) {
    self.launch = launch
    self.active = active
  }
}

/// A valid manifest: its graph and its plan (`initd --check FILE --format json`).
package struct CheckedManifest: Sendable, Equatable {
  /// How many initializers may run at once.
  package var concurrency = 1
  /// The initializers and their dependencies.
  package var graph = InitializerGraph()
  /// The initializers that a launch and an activation run.
  package var plan = PlannedPasses()

  /// The path of the state directory that it names, as written.
  package var stateDirectory: String?

  package init() {}

  /// Creates a manifest.
  package init(concurrency: Int, graph: InitializerGraph, plan: PlannedPasses) {
    self.concurrency = concurrency
    self.graph = graph
    self.plan = plan
  }
}

extension PlannedPasses: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("launch", &launch)
    try json.required("active", &active)
  }
}

extension CheckedManifest: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("concurrency", &concurrency)
    try graph.visit(&json)
    try plan.visit(&json)
    try json.optional("stateDirectory", &stateDirectory)
  }
}
