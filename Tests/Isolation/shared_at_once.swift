// error: type 'Left' does not conform to the 'Sendable' protocol
// Two concurrent initializers share a cart that isn't Sendable.
import AppInitializers

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

func start() -> InitManager {
  let cart = Cart()
  return InitManager([Left(cart), Right(cart)], concurrency: 2)
}
