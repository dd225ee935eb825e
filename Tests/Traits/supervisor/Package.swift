// swift-tools-version: 6.2
import PackageDescription

/// A program that only is its own supervisor.
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
