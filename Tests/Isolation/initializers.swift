// Each program of Tests/Isolation/run begins with these declarations.
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

@MainActor final class Model { var n = 0 }

@MainActor final class Shown: AppInitializer {
  let priority = InitializerPriority.appLaunch
  let model = Model()
  func run() async throws { model.n += 1 }
}

final class Updating: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  let dependencies: [any AppInitializer.Type] = [Shown.self]
  let model: Model
  init(_ model: Model) { self.model = model }
  func run() async throws { await MainActor.run { model.n += 1 } }
}
