// swift-tools-version: 6.2
import PackageDescription

/// A program that is its own supervisor, and nothing more.
let package = Package(
  name: "supervisor",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "AppInitializers", path: "../../..", traits: ["Supervisor"])],
  targets: [
    .executableTarget(
      name: "embedded",
      dependencies: [
        .product(name: "AppInitializers", package: "AppInitializers"),
        .product(name: "InitSupervisor", package: "AppInitializers"),
      ])
  ]
)
