internal import AppInitializers
internal import InitCore
internal import InitWire
internal import Logging

/// What the supervisor tells of the machine in its log, one line an event.
extension Supervisor {
  func log(_ notice: Notice) {
    switch notice {
    case .state(let record, let changed):
      if changed.contains(.lifecycle) { logger.info("the app is \(record.lifecycle)") }
      if changed.contains(.composite) || changed.contains(.lifecycle), record.isReady { logger.info("ready") }
    case .initializer, .initializerRemoved, .passAbandoned: break
    case .pass(let number, let phase, let status):
      switch status {
      case .started: logger.info("\(phase) pass \(number) started")
      case .complete: logger.info("\(phase) pass \(number) is complete")
      case .cancelled: logger.info("\(phase) pass \(number) was cancelled")
      case .failed(let failure): logger.error("\(phase) pass \(number) failed: \(failure)")
      }
    case .runEnded(let run):
      var took: String { "after \(milliseconds(run.duration)) ms" }
      switch run.outcome {
      case .complete:
        logger.info("\(run.initializer) is complete \(took)")
        if let output = manager.assumeIsolated({ $0.output(ofEnding: run.run) }) {
          logger.debug("\(run.initializer) handed over \(RunOutput.inLog(output))")
        }
      case .cancelled: logger.info("\(run.initializer) was cancelled \(took)")
      case .failed(let cause): logger.warning("\(run.initializer) failed \(took) (attempt \(run.attempt)): \(cause)")
      }
    }
  }

  private func milliseconds(_ duration: Duration) -> Int { Int(duration.inSeconds * 1000) }
}
