import AppInitializers

/// An initializer that does nothing.
final class Node: AppInitializer, Sendable {
  let name: String
  let priority = InitializerPriority.appLaunch
  let dependencyNames: [String]

  init(_ number: Int, after dependencies: [Int]) {
    name = "n\(number)"
    dependencyNames = dependencies.map { "n\($0)" }
  }

  func run() async throws {}
}

/// Launches as many initializers as the second argument says, in a graph of the shape of the first, and prints how many seconds that took,
/// including the creation of the manager. Another launch precedes the measured one.
@main
struct Measurement {
  static func main() async {
    guard CommandLine.arguments.count == 3, let shape = Shape(rawValue: CommandLine.arguments[1]),
      let count = Int(CommandLine.arguments[2])
    else {
      return print("usage: inprocess chain|fan|layers COUNT")
    }
    let nodes = (0..<count).map { Node($0, after: shape.dependencies(of: $0, count: count)) }
    // The first launch of a process also starts the threads of the Swift runtime.
    _ = await launch([Node(0, after: [])])
    let took = await launch(nodes)
    print(Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18)
  }

  /// How long a launch takes, without the end of the manager.
  static func launch(_ nodes: [Node]) async -> Duration {
    let start = ContinuousClock.now
    let manager = InitManager(nodes)
    for await state in manager.launchState.values where state != .pending {
      precondition(state == .complete, "\(state)")
      break
    }
    return ContinuousClock.now - start
  }
}
