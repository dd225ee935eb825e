// compiles
// The same for a worker and a supervisor: one at a time, initializers may share any state; at once, only Sendable state.
import AppInitializers
import InitClient
import InitSupervisor
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
  let cart: Cart
  init(_ cart: Cart) { self.cart = cart }
  func run() async throws { cart.items.append("right") }
}

final class SharedCart: Sendable {
  let items = Mutex<[String]>([])
}

final class Safe: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  let cart: SharedCart
  init(_ cart: SharedCart) { self.cart = cart }
  func run() async throws { cart.items.withLock { $0.append("safe") } }
}

func workers() -> [Worker] {
  let cart = Cart()
  let shared = SharedCart()
  return [
    Worker("one", serving: [Left(cart), Right(cart)]),
    Worker("two", serving: [Safe(shared), Safe(shared)], concurrency: 2),
  ]
}

func supervisors() async throws {
  let cart = Cart()
  let shared = SharedCart()
  _ = try await EmbeddedSupervisor.start(initializers: [Left(cart), Right(cart)])
  _ = try await EmbeddedSupervisor.start(initializers: [Safe(shared), Safe(shared)], concurrency: 2)
}
