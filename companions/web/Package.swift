// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target, as in the core.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The commit that `--version` shows, from make, as for initd; a plain `swift build` doesn't know it.
let commit = Context.environment["INITD_COMMIT"] ?? "unknown"

let client = Target.Dependency.product(name: "InitClient", package: "AppInitializers")
let initializers = Target.Dependency.product(name: "AppInitializers", package: "AppInitializers")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// initweb: a companion of the core, on the core's public products and the packages that servers in Swift use.
let package = Package(
  name: "initweb",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "initweb", targets: ["initweb"])],
  dependencies: [
    .package(name: "AppInitializers", path: "../..", traits: []),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // Decides: which passes are new. No clock, no task, no connection.
    .target(name: "Passes", swiftSettings: house),

    // Decides: whether a pass was slower than usual. Only numbers.
    .target(name: "SlowPasses", swiftSettings: house),
    // Acts: the history in SQLite.
    .target(name: "PassStore", dependencies: ["Passes", "SlowPasses", grdb], swiftSettings: house),

    // Decides: what a probe answers and what the metrics are. No clock, no task, no server.
    .target(name: "WebStatus", dependencies: ["Passes"], swiftSettings: house),

    // The commit, alone: another one compiles nothing else again.
    .target(name: "CCommit", cSettings: [.define("INITWEB_COMMIT", to: "\"\(commit)\"")]),
    .executableTarget(
      name: "initweb",
      dependencies: [
        "CCommit", "PassStore", "Passes", "SlowPasses", "WebStatus", arguments, client, hummingbird, hummingbirdCore,
        initializers, lifecycle, logging, nio, signals,
      ],
      swiftSettings: house),

    .testTarget(name: "PassesTests", dependencies: ["Passes"], swiftSettings: house),
    .testTarget(name: "PassStoreTests", dependencies: ["PassStore", "Passes", "SlowPasses", grdb], swiftSettings: house),
    .testTarget(name: "SlowPassesTests", dependencies: ["SlowPasses"], swiftSettings: house),
    .testTarget(name: "WebStatusTests", dependencies: ["WebStatus"], swiftSettings: house),
  ]
)
