internal import AppInitializers
package import InitJSON
internal import InitWire
package import Logging
internal import WireConversions

extension RunContext {
  /// Returns the outputs of the run's dependencies, as JSON for another process.
  ///
  /// A Swift value that isn't `Encodable` can be passed only to Swift objects. If an `Encodable` value can't be encoded, the log says so.
  package func remoteInputs(limit: Int, logger: Logger) -> [String: RawJSON] {
    var found: [String: RawJSON] = [:]
    for (name, value) in inputs {
      do {
        found[name] = try RunOutput(passingOn: value, limit: limit)?.value
      } catch {
        // The encoding error could contain the secret.
        let reason = value is any AnySecret ? "it can't be written as JSON" : "\(error)"
        logger.warning("cannot pass the output of \(name) to \(initializer): \(reason)")
      }
    }
    return found
  }
}
