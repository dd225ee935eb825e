// error: stored property 'cart' of 'Sendable'-conforming class 'Left' has non-Sendable type 'Cart'
// A class with non-Sendable state can't be declared Sendable.
import AppInitializers

final class Cart {
  var items: [String] = []
}

final class Left: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  let cart: Cart
  init(_ cart: Cart) { self.cart = cart }
  func run() async throws { cart.items.append("left") }
}

func start(_ cart: Cart) -> InitManager { InitManager([Left(cart)], concurrency: 2) }
