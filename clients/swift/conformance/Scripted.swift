import AppInitializers
import Glibc

/// An initializer that performs the steps of its declaration.
final class Scripted: ContextualInitializer, Sendable {
  /// Why a run fails.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let name: String
  let priority: InitializerPriority
  let dependencyNames: [String]
  let timeout: Duration?
  let retry: RetryPolicy
  let isOptional: Bool
  private let steps: [Step]

  init(_ declared: Argument.Declared) {
    name = declared.name
    priority = declared.priority == "appActive" ? .appActive : .appLaunch
    dependencyNames = declared.dependencies ?? []
    timeout = declared.timeout.map { .seconds($0) }
    retry =
      declared.retry.map { retry in
        RetryPolicy(
          attempts: retry.attempts ?? 1, delay: .seconds(retry.delay ?? 1), factor: retry.factor ?? 2,
          maxDelay: .seconds(retry.maxDelay ?? 30))
      } ?? .never
    isOptional = declared.optional ?? false
    steps = declared.steps ?? []
  }

  func run(_ context: RunContext) async throws -> any Sendable {
    Lines.say("run \(name) \(context.runNumber) \(context.attempt)")
    return try await withTaskCancellationHandler {
      try await perform(context)
    } onCancel: {
      let reason = context.cancellation.map { "\($0)" } ?? "unknown"
      Lines.say("cancel \(name) \(context.runNumber) \(reason)")
    }
  }

  private func perform(_ context: RunContext) async throws -> any Sendable {
    var output: any Sendable = ()
    var patience: Duration?
    for step in steps {
      try Task.checkCancellation()
      switch step {
      case .report(let fraction, let message): await context.report(fraction: fraction, message: message)
      case .extend(let duration): await context.report(extend: duration)
      case .ignoreCancel(let duration):
        patience = duration
        continue
      case .sleep(let duration): try await stopping(after: patience) { try await Task.sleep(for: duration) }
      case .block(let duration): try await stopping(after: patience) { usleep(UInt32(duration / .microseconds(1))) }
      case .output(let value): output = value
      case .echoInputs: output = try context.outputs(as: JSON.self)
      case .echoFence: output = JSON.object(["fence": context.fence.map { .integer($0) } ?? .null])
      case .fail(let message): throw Failure(description: message)
      }
      patience = nil
    }
    return output
  }

  /// Does a step, which is stopped by a cancellation at once, or so long after it.
  private func stopping(after patience: Duration?, _ step: @escaping @Sendable () async throws -> Void) async throws {
    guard let patience else { return try await step() }
    let work = Task { try await step() }
    try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      Task {
        try await Task.sleep(for: patience)
        work.cancel()
      }
    }
  }
}
