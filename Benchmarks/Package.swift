// swift-tools-version: 6.2
import PackageDescription

let library = Target.Dependency.product(name: "AppInitializers", package: "AppInitializers")

/// The benchmark's program in Swift that uses only the library. It is a package of its own, so users of the library don't build it.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "AppInitializers", path: "..", traits: [])],
  targets: [.executableTarget(name: "inprocess", dependencies: [library], path: "inprocess")]
)
