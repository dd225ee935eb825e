internal import InitWire
internal import Libuv

/// The loop of all clients and workers of a program: one thread, which runs until the process ends.
enum SharedLoop {
  private static let made = Result { () throws(SystemError) in try Loop.startedInThread(name: "init-client") }

  /// The loop.
  ///
  /// - Throws: why there is no thread or descriptor for it.
  static func get() throws -> Loop {
    do throws(SystemError) {
      return try made.get()
    } catch {
      throw SupervisorError(.unreachable, "cannot start a thread for connections: \(error)")
    }
  }

  /// The default name of a program in Status.
  static var programName: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "program"
  }

  /// The name and version of a program, for hello.
  static func program(_ name: String?) -> ProgramShape { ProgramShape(name: name ?? programName, version: "0.1.0") }
}
