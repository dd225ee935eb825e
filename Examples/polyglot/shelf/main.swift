// Each activation, in Swift: fills the shelf with the offers.

import AppInitializers
import AppInitializersWorker
import Glibc

struct Settings: Codable { let currency: String }
struct Offer: Codable { let title: String, price: Double }

final class Shelf: ContextualInitializer, Sendable {
  let name = "shelf"
  let priority = InitializerPriority.appActive
  let dependencyNames = ["settings", "offers"]

  func run(_ context: RunContext) async throws -> Int {
    let settings: Settings = try context.output(of: "settings")
    let offers: [Offer] = try context.output(of: "offers")
    for offer in offers { print("on the shelf: \(offer.title), \(offer.price) \(settings.currency)") }
    fflush(nil)  // Standard output is a pipe.
    return offers.count
  }
}

let worker = Worker("shelf-in-swift", serving: [Shelf()])
try await worker.run(endingOn: [SIGTERM, SIGINT])
