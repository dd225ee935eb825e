internal import InitJSON

/// Stops processes and starts them again. A process that doesn't run is started.
///
/// The answer doesn't wait until they are ready.
package struct RestartRequest: ProcessesRequest {
  package static let method = "restart"

  package var names: [String] = []

  package init() {}

  package typealias Result = ProcessChanges
}
