// swift-tools-version: 6.2
import PackageDescription

let library = Target.Dependency.product(name: "AppInitializers", package: "AppInitializers")

/// The benchmark's program in Swift that uses only the library. As a package of its own, it costs nobody who builds the library anything.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "AppInitializers", path: "..", traits: [])],
  targets: [.executableTarget(name: "inprocess", dependencies: [library], path: "inprocess")]
)
