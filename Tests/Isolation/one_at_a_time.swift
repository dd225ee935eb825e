// compiles
// Initializers that run one at a time may share any state; concurrent ones may share only Sendable state.
import AppInitializers
import Synchronization

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
  let dependencies: [any AppInitializer.Type] = [Left.self]
  let cart: Cart
  init(_ cart: Cart) { self.cart = cart }
  func run() async throws { cart.items.append("right") }
}

final class SharedCart: Sendable {
  let items = Mutex<[String]>([])
}

final class Safe: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [Left.self]
  let cart: SharedCart
  init(_ cart: SharedCart) { self.cart = cart }
  func run() async throws { cart.items.withLock { $0.append("safe") } }
}

func start() -> [InitManager] {
  let cart = Cart()
  let shared = SharedCart()
  return [
    InitManager([Left(cart), Right(cart)]), InitManager([Safe(shared), Safe(shared)], concurrency: 2),
    InitManager([Safe(shared)]),
  ]
}
