package import EventLoop
internal import InitModel
package import InitWire
internal import Platform

/// The thread of all clients and workers of a program.
///
/// The loop runs until the process ends.
package enum ClientLoop {
  /// Longer than anyone waits.
  package static let unlimited = Duration.seconds(1_000_000_000)

  private static let shared = SharedLoop(name: "init-client")

  /// Returns the loop.
  ///
  /// - Throws: an error that says why there is no thread or descriptor for it. The next call tries again.
  package static func get() throws(SupervisorError) -> Loop {
    do throws(SystemError) {
      return try shared.get()
    } catch {
      throw SupervisorError(.unreachable, "cannot start a thread for connections: \(error)")
    }
  }

  /// The default name of a program in Status.
  package static var programName: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "program"
  }

  /// Returns the name and version of a program, for hello.
  package static func program(_ name: String?) -> HelloRequest.Program {
    HelloRequest.Program(name: name ?? programName, version: Release.version)
  }
}
