package import InitJSON

/// Asks the coordinator to record that a claimed run has completed.
package struct CompleteRequest: Request, Shape {
  package static let method = "complete"

  package var run = 0
  /// The output, unless it is secret or missing.
  package var output: RawJSON?
  /// Whether the output is secret: then each host must run the initializer.
  package var secret = false

  package init() {}

  /// Reports a completed run.
  package init(run: Int, output: RawJSON?, secret: Bool = false) {
    self.run = run
    self.output = output
    self.secret = secret
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.optional("output", &output)
    try json.sent("secret", &secret)
  }
}
