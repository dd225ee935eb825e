public import WebStatus

/// The page `/splash`: an app's front end shows it until the app is ready; then the page leads to the app.
public struct SplashPage: Sendable {
  /// The state.
  public var document: StatusDocument
  /// The path of the app.
  public var target: String
  /// The position in the stream of events.
  public var position: String
  /// The time, in seconds since the Unix epoch.
  public var now: Double

  /// Describes the page.
  public init(document: StatusDocument, target: String, position: String, now: Double) {
    self.document = document
    self.target = Self.local(target)
    self.position = position
    self.now = now
  }

  /// Returns the target if it is a path of this origin, else `/`: the page must not lead to another site.
  public static func local(_ target: String) -> String {
    let isPath =
      target.utf8.first == UInt8(ascii: "/") && target.utf8.dropFirst().first != UInt8(ascii: "/")
      && target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
    return isPath ? target : "/"
  }

  /// The page.
  public var html: String {
    let needed = document.initializers
    let done = needed.count { $0.status == "complete" || $0.status == "skipped" }
    let failed = StartPage.word(document.summary) == "Failed"
    let message = failed ? "The app can't start at the moment." : "The app is starting."
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(HTML.escape(message))</title>
      <link rel="stylesheet" href="/assets/style.css">
      <link rel="icon" href="/assets/icon.svg">
      <noscript><meta http-equiv="refresh" content="2"></noscript>
      <script src="/assets/page.js" defer></script>
      </head>
      <body data-now="\(now.attribute)" data-position="\(HTML.escape(position))" data-target="\(HTML.escape(target))">
      <main class="splash">
      <h1 id="splash-word">\(HTML.escape(message))</h1>
      <progress id="splash-progress" max="\(max(1, needed.count))" value="\(done)" aria-label="Complete initializers"></progress>
      <p id="splash-message" role="status">\(done) of \(needed.count) steps are complete.</p>
      </main>
      </body>
      </html>

      """
  }
}
