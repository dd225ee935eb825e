/// A whole page: the head, the navigation, and one main part.
struct Document {
  /// The text of the tab.
  var title: String
  /// The path of the page in the navigation.
  var path: String
  /// The position in the stream of events up to which the page is; nil for a page that doesn't change.
  var position: String?
  /// The server's time, in seconds since the Unix epoch.
  var now: Double
  /// Markup for the head.
  var head: HTML = ""
  /// The content.
  var main: HTML

  /// Says that the region before it can be scrolled; `page.js` shows it if that is so.
  static let scrollNote: HTML = "<p class=\"note scrolls\" hidden>Scroll sideways to see the rest.</p>\n"

  private static let links = [
    ("/", "Start"), ("/history", "History"), ("/api/v1/status", "JSON"), ("/metrics", "Metrics"),
  ]

  /// The page.
  var html: HTML {
    let links = Self.links.map { target, name -> HTML in
      target == path
        ? "<a href=\"\(target)\" aria-current=\"page\">\(name)</a>\n" : "<a href=\"\(target)\">\(name)</a>\n"
    }
    let position: HTML = position.map { " data-position=\"\($0)\"" } ?? ""
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <link rel="stylesheet" href="/assets/style.css">
      <link rel="icon" href="/assets/icon.svg">
      <script src="/assets/page.js" defer></script>
      \(head)</head>
      <body data-now="\(now.attribute)"\(position)>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="top"><nav aria-label="Pages">\(links)</nav><p id="connection" role="status"></p></header>
      <main id="main" tabindex="-1">
      \(main)</main>
      </body>
      </html>

      """
  }
}
