package import Platform

/// The loop of a program that has only one.
///
/// Values used only on its thread are isolated to it, so the compiler checks that.
@globalActor
package actor ProgramLoop {
  package static let shared = ProgramLoop()
  /// The loop.
  ///
  /// The loop belongs to the thread that gets it first.
  package static let loop = Result { () throws(SystemError) in try Loop() }

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard case .success(let loop) = Self.loop else { preconditionFailure("the program has no loop") }
    return loop.asUnownedSerialExecutor()
  }

  /// Runs the loop until `work` has ended.
  package static func run<Value: Sendable>(
    _ work: @escaping @ProgramLoop (Loop) async -> Value
  ) throws(SystemError) -> Value {
    let loop = try loop.get()
    // Only this thread uses it, because the task runs on its loop.
    nonisolated(unsafe) var result: Value?
    Task(executorPreference: loop) {
      result = await work(loop)
      loop.stop()
    }
    loop.run()
    guard let value = result else {
      preconditionFailure("the loop was stopped before its work had ended")
    }
    return value
  }

  /// Runs `body` in a callback that the compiler doesn't know to be on the loop's thread; traps on other threads.
  package static func assumeIsolated<Value: Sendable>(_ body: @ProgramLoop () throws -> Value) rethrows -> Value {
    shared.preconditionIsolated()
    return try withoutActuallyEscaping(body) { body in try unsafeBitCast(body, to: (() throws -> Value).self)() }
  }
}
