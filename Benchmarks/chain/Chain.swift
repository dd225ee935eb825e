import AppInitializers

/// Does nothing, after the one before it.
final class Link: AppInitializer {
  let name: String
  let priority = InitializerPriority.appLaunch
  let dependencyNames: [String]

  init(_ number: Int) {
    name = "n\(number)"
    dependencyNames = number == 0 ? [] : ["n\(number - 1)"]
  }

  func run() async throws {}
}

/// Launches a chain of as many initializers as the first argument says, and prints how many seconds that took, the manager's making included.
@main
struct Chain {
  static func main() async {
    guard let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) else {
      return print("usage: chain COUNT")
    }
    let start = ContinuousClock.now
    let manager = InitManager((0..<count).map(Link.init))
    for await state in manager.launchState.values where state != .pending {
      let took = ContinuousClock.now - start
      precondition(state == .complete, "\(state)")
      return print(Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18)
    }
  }
}
