internal import CLibuv
package import Platform

extension Loop {
  /// Checks whether a file exists at a path, following links, and calls `then` once, usually in a later turn: with nil, or with the reason
  /// why there is none.
  ///
  /// The check never blocks the loop, even if the file system doesn't answer.
  package func findFile(_ path: String, then: @escaping (SystemError?) -> Void) {
    preconditionCurrent()
    let status = FaultInjection.status(
      queueStatus(raw, path) { status in then(status == 0 ? nil : .uv("stat", status, path)) })
    if status != 0 { then(.uv("stat", status, path)) }
  }
}
