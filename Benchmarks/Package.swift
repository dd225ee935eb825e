// swift-tools-version: 6.2
import PackageDescription

/// The benchmark's program in Swift, which uses only the library. It is a package of its own, so that nobody who builds the library builds it.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "AppInitializers", path: "..", traits: [])],
  targets: [
    .executableTarget(
      name: "inprocess", dependencies: [.product(name: "AppInitializers", package: "AppInitializers")], path: "inprocess")
  ]
)
