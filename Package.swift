// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: the compiler checks imports and existentials, and a warning is an error.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The commit that `--version` shows, from make; a plain `swift build` doesn't know it.
let commit = Context.environment["INITD_COMMIT"] ?? "unknown"

let collections = Target.Dependency.product(name: "OrderedCollections", package: "swift-collections")
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heaps = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let logging = Target.Dependency.product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["Supervisor"]))
let combine = Target.Dependency.product(
  name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux], traits: ["Publishers"]))
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"]))

/// The floors of ARCHITECTURE.md, bottom up.
///
/// A target imports only the dependencies that are listed here.
let package = Package(
  name: "AppInitializers",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "AppInitializers", targets: ["AppInitializers"]),
    .library(name: "AppInitializersPublishers", targets: ["AppInitializersPublishers"]),
    .library(name: "AppInitializersObservation", targets: ["AppInitializersObservation"]),
    .library(name: "AppInitializersFoundation", targets: ["AppInitializersFoundation"]),
    .library(name: "AppInitializersSignals", targets: ["AppInitializersSignals"]),
    .library(name: "AppInitializersServiceLifecycle", targets: ["AppInitializersServiceLifecycle"]),
    .library(name: "InitSupervisor", targets: ["InitSupervisor", "InitRecords", "InitRunner", "InitServer"]),
    .library(name: "InitDeclarations", targets: ["InitDeclarations"]),
    .library(name: "InitModel", targets: ["InitModel", "InitJSON", "InitWords"]),
    .library(name: "InitClient", targets: ["InitClient"]),
    .library(name: "AppInitializersWorker", targets: ["AppInitializersWorker"]),
    .executable(name: "initd", targets: ["initd"]),
    .executable(name: "initctl", targets: ["initctl"]),
  ],
  // Each trait fetches the dependencies of its products. With `traits: []`, a package fetches only swift-collections.
  traits: [
    .default(enabledTraits: ["Publishers", "ServiceLifecycle", "Supervisor", "Programs"]),
    .trait(name: "Publishers", description: "The product AppInitializersPublishers, with OpenCombine."),
    .trait(
      name: "ServiceLifecycle",
      description: "The product AppInitializersServiceLifecycle, with swift-service-lifecycle."),
    .trait(name: "Supervisor", description: "The product InitSupervisor, with swift-log."),
    .trait(name: "Programs", description: "The programs initd and initctl.", enabledTraits: ["Supervisor"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // Floor 0: decides, without a clock, thread, file or socket.
    .target(name: "InitLocks", swiftSettings: house),
    .target(name: "InitText", swiftSettings: house),
    .target(name: "InitWords", dependencies: ["InitText"], swiftSettings: house),
    .target(name: "InitCore", dependencies: ["InitText", "InitWords", deques, collections], swiftSettings: house),
    .target(name: "InitJSON", swiftSettings: house),
    .target(name: "InitModel", dependencies: ["InitJSON", "InitText", "InitWords"], swiftSettings: house),
    .target(
      name: "InitWire", dependencies: ["InitJSON", "InitModel", "InitText", "InitWords"], swiftSettings: house),
    .target(name: "CProcesses", dependencies: ["CPlatform"]),
    .target(name: "CPlatform", cSettings: [.define("PLATFORM_COMMIT", to: "\"\(commit)\"")]),
    .systemLibrary(name: "CLibuv", pkgConfig: "libuv-static", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CLibyaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CCares", providers: [.apt(["libc-ares-dev"])]),

    // Beside it: the operating system, without a loop.
    .target(name: "Platform", dependencies: ["CPlatform", "InitLocks", "InitWords", deques], swiftSettings: house),

    // Floor 1
    .target(name: "InitDeclarations", dependencies: ["InitCore", "InitWords"], swiftSettings: house),
    .target(
      name: "InitManifest",
      dependencies: [
        "CLibyaml", "InitCore", "InitDeclarations", "InitJSON", "InitText", "InitModel", "InitWire", "InitWords",
      ],
      swiftSettings: house),
    .target(
      name: "InitHistory", dependencies: ["InitCore", "InitModel", "InitText", "InitWords", deques],
      swiftSettings: house),
    .target(
      name: "InitForecasts",
      dependencies: [
        "InitCore", "InitHistory", "InitJSON", "InitModel", "InitText", "InitTimeline", "InitWire", "InitWords",
      ],
      swiftSettings: house),
    .target(
      name: "InitTimeline",
      dependencies: ["InitJSON", "InitText", "InitModel", "InitWire", "InitWords", deques, heaps],
      swiftSettings: house),
    .target(
      name: "InitLog", dependencies: ["InitCore", "InitModel", "InitText", "InitWords", logging],
      swiftSettings: house),
    .target(name: "CommandLineOptions", dependencies: ["InitText", "InitWords"], swiftSettings: house),
    .target(
      name: "EventLoop", dependencies: ["CLibuv", "CPlatform", "InitLocks", "Platform", deques],
      swiftSettings: house),

    // Floor 2
    .target(name: "AppInitializers", dependencies: ["InitCore", "InitLocks", "InitWords"], swiftSettings: house),

    // Converts between the library's types and the protocol's.
    .target(
      name: "WireConversions",
      dependencies: [
        "AppInitializers", "InitCore", "InitJSON", "InitText", "InitTimeline", "InitModel", "InitWire", "InitWords",
      ],
      swiftSettings: house),

    // Beside it: other ways to observe, each in a separate product.
    .target(
      name: "AppInitializersPublishers",
      dependencies: ["AppInitializers", "InitLocks", combine],
      swiftSettings: house),
    .target(name: "AppInitializersObservation", dependencies: ["AppInitializers"], swiftSettings: house),

    // Further lifecycle sources.
    .target(name: "AppInitializersFoundation", dependencies: ["AppInitializers"], swiftSettings: house),
    .target(
      name: "AppInitializersSignals", dependencies: ["AppInitializers", "InitLocks", "Platform"], swiftSettings: house),

    .target(
      name: "AppInitializersServiceLifecycle",
      dependencies: ["AppInitializers", lifecycle],
      swiftSettings: house),

    // Starts programs, and ends them.
    .target(
      name: "InitProcesses", dependencies: ["CPlatform", "CProcesses", "EventLoop", "InitWords", "Platform"],
      swiftSettings: house),

    // Names, for the probes.
    .target(name: "HostNames", dependencies: ["CCares", "EventLoop", "Platform"], swiftSettings: house),

    // Floor 3: acts.
    .target(
      name: "InitServer",
      dependencies: [
        "EventLoop", "InitJSON", "InitModel", "InitText", "InitWire", "Platform", deques, logging,
      ],
      swiftSettings: house),
    .target(
      name: "InitRecords",
      dependencies: [
        "AppInitializers", "EventLoop", "InitCore", "InitHistory", "InitJSON", "InitLog", "InitModel", "InitText",
        "InitTimeline", "InitWire", "InitWords", "Platform", "WireConversions", deques, logging,
      ],
      swiftSettings: house),
    .target(
      name: "InitRunner",
      dependencies: [
        "AppInitializers", "EventLoop", "HostNames", "InitCore", "InitDeclarations", "InitJSON", "InitLog", "InitModel",
        "InitProcesses",
        "InitText", "InitTimeline", "InitWire", "InitWords", "Platform", "WireConversions", logging,
      ],
      swiftSettings: house),
    .target(
      name: "InitSupervisor",
      dependencies: [
        "AppInitializers", "EventLoop", "InitCore", "InitDeclarations", "InitJSON", "InitLog",
        "InitModel", "InitProcesses", "InitRecords", "InitRunner", "InitServer", "InitText", "InitTimeline", "InitWire",
        "InitWords",
        "Platform", "WireConversions", deques, logging,
      ],
      swiftSettings: house),
    .target(
      name: "InitClient",
      dependencies: [
        "EventLoop", "InitJSON", "InitLocks", "InitText", "InitTimeline", "InitModel",
        "InitWire",
        "InitWords", "Platform", deques,
      ],
      swiftSettings: house),

    .target(
      name: "AppInitializersWorker",
      dependencies: [
        "AppInitializers", "InitClient", "InitCore", "InitJSON", "InitLocks", "InitModel", "InitText", "InitWire",
        "InitWords", "Platform", "WireConversions",
      ],
      swiftSettings: house),

    // Floor 4
    .target(name: "CStart"),
    .executableTarget(
      name: "initd",
      dependencies: [
        "CommandLineOptions", "CStart", "EventLoop", "InitCore", "InitDeclarations", "InitJSON", "InitManifest",
        "InitProcesses", "InitRecords", "InitRunner", "InitServer", "InitSupervisor", "InitText", "InitModel",
        "InitWire", "InitWords",
        "Platform", logging,
      ],
      swiftSettings: house),
    .executableTarget(
      name: "initctl",
      dependencies: [
        "CommandLineOptions", "CStart", "EventLoop", "InitClient", "InitForecasts", "InitJSON", "InitText",
        "InitTimeline", "InitModel", "InitProcesses",
        "InitWire",
        "InitWords", "Platform",
      ],
      swiftSettings: house),

    // The examples of README.md; Tests/Docs compares them.
    .executableTarget(
      name: "library-example", dependencies: ["AppInitializers"], path: "Examples/library", swiftSettings: house),
    .executableTarget(
      name: "embedded-example", dependencies: ["AppInitializers", "InitDeclarations", "InitSupervisor"],
      path: "Examples/embedded",
      swiftSettings: house),
    .executableTarget(
      name: "polyglot-shelf", dependencies: ["AppInitializers", "AppInitializersWorker", "InitClient"],
      path: "Examples/polyglot/shelf",
      swiftSettings: house),
    // The example of clients/swift/README.md.
    .executableTarget(
      name: "worker-example", dependencies: ["AppInitializers", "AppInitializersWorker", "InitClient"],
      path: "Examples/worker",
      swiftSettings: house),

    // The subject of clients/conformance, which uses only products.
    .executableTarget(
      name: "swift-subject",
      dependencies: ["AppInitializers", "AppInitializersWorker", "InitClient", "InitModel", "InitWords"],
      path: "clients/swift/conformance",
      exclude: ["build", "subject"], swiftSettings: house),

    // For `make bench`: measures modules that are no products. The other programs of the benchmark are in a package of their own,
    // Benchmarks.
    .executableTarget(
      name: "parts", dependencies: ["InitCore", "InitJSON", "InitModel", "InitWire", "InitWords"],
      path: "Benchmarks/parts",
      swiftSettings: house),

    // Tests: one target per module; the programs are driven from outside.
    .target(name: "TestSupport", dependencies: ["Platform"], path: "Tests/TestSupport", swiftSettings: house),
    .target(
      name: "LoopScenes", dependencies: ["EventLoop", "Platform", "TestSupport"], path: "Tests/LoopScenes",
      swiftSettings: house),
    .testTarget(name: "InitTextTests", dependencies: ["InitText"], swiftSettings: house),
    .testTarget(name: "InitWordsTests", dependencies: ["InitWords"], swiftSettings: house),
    .testTarget(
      name: "InitCoreTests", dependencies: ["InitCore", "InitText", "InitWords", "TestSupport"], swiftSettings: house),
    .testTarget(name: "InitJSONTests", dependencies: ["InitJSON"], swiftSettings: house),
    .testTarget(
      name: "InitWireTests", dependencies: ["InitJSON", "InitModel", "InitWire", "InitWords"], swiftSettings: house),
    .testTarget(
      name: "InitManifestTests",
      dependencies: ["InitCore", "InitDeclarations", "InitManifest", "InitModel", "InitWire", "InitWords"],
      swiftSettings: house),
    .testTarget(name: "CommandLineOptionsTests", dependencies: ["CommandLineOptions"], swiftSettings: house),
    .testTarget(
      name: "InitTimelineTests",
      dependencies: [
        "InitCore", "InitForecasts", "InitHistory", "InitJSON", "InitText", "InitTimeline", "InitModel", "InitWire",
        "InitWords",
      ],
      swiftSettings: house),
    .testTarget(
      name: "PlatformTests", dependencies: ["InitWords", "Platform", "CPlatform", "TestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "EventLoopTests",
      dependencies: ["EventLoop", "CLibuv", "LoopScenes", "Platform", "CPlatform", "TestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "InitProcessesTests",
      dependencies: ["EventLoop", "InitProcesses", "InitWords", "LoopScenes", "Platform", "TestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "HostNamesTests", dependencies: ["EventLoop", "HostNames", "Platform", "TestSupport"],
      swiftSettings: house),
    .testTarget(
      name: "AppInitializersTests", dependencies: ["AppInitializers", "InitCore", "InitLocks", "InitWords"],
      swiftSettings: house),
    .testTarget(
      name: "AppInitializersPublishersTests",
      dependencies: [
        "AppInitializersPublishers", "AppInitializers",
        combine,
      ],
      swiftSettings: house),
    .testTarget(
      name: "AppInitializersObservationTests", dependencies: ["AppInitializersObservation", "AppInitializers"],
      swiftSettings: house),
    .testTarget(
      name: "AppInitializersFoundationTests", dependencies: ["AppInitializersFoundation", "AppInitializers"],
      swiftSettings: house),
    .testTarget(
      name: "AppInitializersSignalsTests", dependencies: ["AppInitializersSignals", "AppInitializers"],
      swiftSettings: house),
    .testTarget(
      name: "SeedExamplesTests",
      dependencies: [
        "AppInitializersPublishers", "AppInitializers",
        combine,
      ],
      swiftSettings: house),
    .testTarget(
      name: "AppInitializersServiceLifecycleTests",
      dependencies: [
        "AppInitializersServiceLifecycle", "AppInitializers", "InitSupervisor", "TestSupport", logging,
        lifecycle,
      ],
      swiftSettings: house),
    .testTarget(name: "ArticleExamplesTests", dependencies: ["AppInitializers"], swiftSettings: house),
    .testTarget(
      name: "InitRecordsTests",
      dependencies: [
        "InitCore", "InitHistory", "InitLog", "InitModel", "InitRecords", "InitTimeline", "InitWire", "InitWords",
        "Platform", "WireConversions",
      ],
      swiftSettings: house),
    .testTarget(
      name: "InitRunnerTests",
      dependencies: [
        "EventLoop", "InitCore", "InitDeclarations", "InitModel", "InitProcesses", "InitRunner", "InitWire",
        "InitWords", "LoopScenes", "Platform", "TestSupport",
      ],
      swiftSettings: house),
    .testTarget(
      name: "InitServerTests", dependencies: ["InitModel", "InitServer", "InitWire", "Platform"], swiftSettings: house),
    .testTarget(
      name: "InitSupervisorTests",
      dependencies: [
        "AppInitializers", "AppInitializersObservation", "EventLoop", "InitClient", "InitCore", "InitDeclarations",
        "InitJSON", "InitManifest", "InitRecords", "InitRunner", "InitServer",
        "InitSupervisor", "InitText", "InitTimeline", "InitModel", "InitWire", "InitWords", "Platform", "TestSupport",
        logging,
      ],
      swiftSettings: house),
    // Like other packages, it uses only the products.
    .testTarget(
      name: "HostsTests",
      dependencies: [
        "AppInitializers", "AppInitializersWorker", "InitClient", "InitDeclarations", "InitModel", "InitSupervisor",
        "InitWords",
        "TestSupport", logging,
      ],
      swiftSettings: house),
    .testTarget(
      name: "InitClientTests",
      dependencies: [
        "AppInitializers", "AppInitializersWorker", "EventLoop", "InitClient", "InitJSON", "InitModel", "InitWire",
        "InitWords", "Platform",
        "TestSupport",
      ],
      swiftSettings: house),
    // The tests of Examples/tests, which use only products.
    .testTarget(
      name: "ShopTests", dependencies: ["InitClient", "InitModel"], path: "Examples/tests/swift", swiftSettings: house),
    .testTarget(
      name: "initctlTests",
      dependencies: [
        "CommandLineOptions", "EventLoop", "InitClient", "InitForecasts", "initctl", "InitText", "InitTimeline",
        "InitModel", "InitProcesses", "InitWire",
        "InitWords",
        "Platform",
      ],
      swiftSettings: house),
  ]
)
