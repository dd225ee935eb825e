// error: type 'Left' does not conform to the 'Sendable' protocol
// Two initializers of a supervisor share a cart that isn't Sendable, and would run at once.
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

final class Right: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let cart: Cart
  init(_ cart: Cart) { self.cart = cart }
  func run() async throws { cart.items.append("right") }
}

func start() async throws -> EmbeddedSupervisor {
  let cart = Cart()
  return try await EmbeddedSupervisor.start(initializers: [Left(cart), Right(cart)], concurrency: 2)
}
