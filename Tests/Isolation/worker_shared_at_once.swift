// error: type 'Left' does not conform to the 'Sendable' protocol
// Two initializers of a worker share a cart that isn't Sendable, and would run at once.
import AppInitializers
import InitClient

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

func start() -> Worker {
  let cart = Cart()
  return Worker("shelf", serving: [Left(cart), Right(cart)], concurrency: 2)
}
