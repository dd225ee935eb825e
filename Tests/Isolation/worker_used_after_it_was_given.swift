// error: sending 'initializers' risks causing data races
// After a program has given objects to a worker, it doesn't use them any more.
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

func start() -> Worker {
  let cart = Cart()
  let initializers: [any AppInitializer] = [Left(cart)]
  let worker = Worker("shelf", serving: initializers)
  cart.items.append("late")
  return worker
}
