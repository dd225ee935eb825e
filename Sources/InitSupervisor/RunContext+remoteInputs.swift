internal import AppInitializers
internal import InitBridge
internal import InitWire
internal import Logging

extension RunContext {
  /// What the run's dependencies have handed over in its pass, as the JSON that another process is given.
  ///
  /// What can't be JSON, a Swift value that isn't `Encodable`, is for Swift objects alone; what should be and can't is told in the log.
  func remoteInputs(limit: Int, logger: Logger) -> [String: RawJSON] {
    var found: [String: RawJSON] = [:]
    for (name, value) in inputs {
      do {
        found[name] = try RunOutput(passingOn: value, limit: limit)?.value
      } catch {
        // What its encoding throws may say what it hides.
        let reason = value is any AnySecret ? "it can't be written as JSON" : "\(error)"
        logger.warning("cannot pass the output of \(name) to \(initializer): \(reason)")
      }
    }
    return found
  }
}
