/// The subject's argument.
struct Argument: Decodable {
  let client: String
  let initializers: [Declared]
  let subscribe: [String]?
  let calls: [Call]?

  /// An initializer, as in `register`, and the steps of its runs.
  struct Declared: Decodable {
    let name: String
    let priority: String?
    let dependencies: [String]?
    let timeout: Double?
    let retry: Retry?
    let optional: Bool?
    let perProcess: Bool?
    let steps: [Step]?
  }

  /// The members of `retry`.
  struct Retry: Decodable {
    let attempts: Int?
    let delay: Double?
    let factor: Double?
    let maxDelay: Double?
  }

  /// A request; one of the first six members says which.
  struct Call: Decodable {
    let status: Bool?
    let activate: Bool?
    let deactivate: Bool?
    let wait: String?
    let waitFor: String?
    let hold: Double?
    let timeout: Double?
  }
}
