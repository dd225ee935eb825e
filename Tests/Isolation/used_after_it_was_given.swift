// error: sending 'initializers' risks causing data races
// Objects that were given to a manager can't be used any more.
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

func start() -> InitManager {
  let cart = Cart()
  let initializers: [any AppInitializer] = [Left(cart)]
  let manager = InitManager(initializers)
  cart.items.append("late")
  return manager
}
