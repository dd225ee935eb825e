// error: sending 'initializers' risks causing data races
// After a program has given objects to a supervisor, it doesn't use them any more.
import AppInitializers
import InitSupervisor

final class Cart {
  var items: [String] = []
}

final class Left: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let cart: Cart
  init(_ cart: Cart) { self.cart = cart }
  func run() async throws { cart.items.append("left") }
}

func start() async throws -> EmbeddedSupervisor {
  let cart = Cart()
  let initializers: [any AppInitializer] = [Left(cart)]
  let supervisor = try await EmbeddedSupervisor.start(initializers: initializers)
  cart.items.append("late")
  return supervisor
}
