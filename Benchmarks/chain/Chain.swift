import AppInitializers

/// Does nothing, after those that it depends on.
final class NoOp: AppInitializer {
  let name: String
  let priority = InitializerPriority.appLaunch
  let dependencyNames: [String]

  init(_ number: Int, after dependencies: [Int]) {
    name = "n\(number)"
    dependencyNames = dependencies.map { "n\($0)" }
  }

  func run() async throws {}
}

/// A shape of a graph: which lower numbers each number depends on.
enum Shape: String {
  /// Each depends on the one before it.
  case chain
  /// All depend on the first one.
  case fan
  /// Rows of 1,000, of which each depends on two of the row before it.
  case layers

  func dependencies(of number: Int) -> [Int] {
    switch self {
    case .chain: number == 0 ? [] : [number - 1]
    case .fan: number == 0 ? [] : [0]
    case .layers:
      number < 1000 ? [] : [number - 1000, number - number % 1000 - 1000 + (number * 7 + 1) % 1000]
    }
  }
}

/// Launches as many initializers as an argument says, and prints how many seconds that took.
@main
struct Chain {
  static func main() async {
    switch CommandLine.arguments.dropFirst() {
    case let arguments where arguments.count == 1:
      guard let count = arguments.first.flatMap(Int.init) else { return help() }
      print(await launch(.chain, count).total)
    case let arguments where arguments.count == 2:
      guard let shape = arguments.first.flatMap(Shape.init), let count = arguments.last.flatMap(Int.init) else {
        return help()
      }
      let took = await launch(shape, count)
      print(took.total, took.launch)
    default: help()
    }
  }

  static func help() {
    print("usage: chain [chain|fan|layers] COUNT")
    print("prints the seconds of all, and with a shape also those without the creation of the objects and the manager")
  }

  static func launch(_ shape: Shape, _ count: Int) async -> (total: Double, launch: Double) {
    let start = ContinuousClock.now
    let manager = InitManager((0..<count).map { NoOp($0, after: shape.dependencies(of: $0)) })
    let created = ContinuousClock.now
    for await state in manager.launchState.values where state != .pending {
      precondition(state == .complete, "\(state)")
      break
    }
    let end = ContinuousClock.now
    return ((end - start) / .seconds(1), (end - created) / .seconds(1))
  }
}
