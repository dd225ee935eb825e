// swift-tools-version: 6.2
import PackageDescription

/// Programs that only use the library, or are workers.
let package = Package(
  name: "library",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "AppInitializers", path: "../../..", traits: [])],
  targets: [
    .executableTarget(name: "alone", dependencies: [.product(name: "AppInitializers", package: "AppInitializers")]),
    .executableTarget(
      name: "worker",
      dependencies: [
        .product(name: "AppInitializers", package: "AppInitializers"),
        .product(name: "AppInitializersWorker", package: "AppInitializers"),
        .product(name: "InitClient", package: "AppInitializers"),
      ]),
  ]
)
