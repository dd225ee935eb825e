internal import InitJSON

/// Starts processes that somebody has stopped, or that were given up or have ended.
///
/// The answer doesn't wait until they are ready.
package struct StartRequest: ProcessesRequest {
  package static let method = "start"

  package var names: [String] = []

  package init() {}

  package typealias Result = ProcessChanges
}
