"""The site of `make site` in Chromium: each page by itself, where its links lead, the search, and the addresses that it has had."""

import functools
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

import chromium
from deadlines import until
from markdown_it import MarkdownIt
from selenium.webdriver.common.by import By
from supervisor import ROOT

SOURCES = pathlib.Path(ROOT, "docs/site")
sys.path.insert(0, str(SOURCES))

from addresses import address  # noqa: E402

CONFIG = f"""\
INHERIT: {SOURCES}/mkdocs.yml
docs_dir: {SOURCES}/assets
hooks: [{SOURCES}/pages.py]
plugins: {{ redirects: {{ redirect_maps: {{ before-it-moved.md: docs/start.md }} }} }}
"""
GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
FACTS = """
const all = (selector, value) => [...document.querySelectorAll(selector)].map(value);
const page = document.querySelector("article").cloneNode(true);
for (const each of page.querySelectorAll(".headerlink, .md-code__nav")) each.remove();
const expected = new DOMParser().parseFromString(arguments[0], "text/html").body;
return {
    links: all("a[href]", (each) => each.href),
    ids: all("[id], a[name]", (each) => each.id || each.name),
    room: document.documentElement.clientWidth,
    width: document.documentElement.scrollWidth,
    contents: [page, expected].map((each) => [each.textContent.replace(/\\s/g, ""),
        ...["h2", "h3", "li", "td", "pre", "a"].map((name) => each.querySelectorAll(name).length)]),
};
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class SiteTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="site-")
        cls.addClassCleanup(folder.cleanup)
        config, cls.site = pathlib.Path(folder.name, "mkdocs.yml"), pathlib.Path(folder.name, "site")
        config.write_text(CONFIG + f"site_dir: {cls.site}\n")
        built = subprocess.run([pathlib.Path(ROOT, "scripts/site"), config], capture_output=True, text=True)
        assert built.returncode == 0, f"the site can't be built\n{built.stdout}{built.stderr}"
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=cls.site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.origin = f"http://127.0.0.1:{server.server_port}"
        cls.driver = chromium.started(width=320, logs=("browser", "performance"))
        cls.addClassCleanup(cls.driver.quit)
        found = {f"/{path.parent.relative_to(cls.site)}/".replace("/./", "/") for path in cls.site.rglob("index.html")}
        cls.addresses = sorted(found - {"/before-it-moved/"})
        files = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, text=True).split()
        sources = {address(path): pathlib.Path(ROOT, path).read_text() for path in files}
        cls.pages = {}
        for each in cls.addresses:
            cls.open(each)
            cls.pages[each] = cls.driver.execute_script(FACTS, GITHUB.render(sources[each]))
            cls.pages[each] |= {"requests": cls.requests(), "console": cls.driver.get_log("browser")}

    @classmethod
    def open(cls, place):
        cls.requests()
        cls.driver.get(cls.origin + place)

    @classmethod
    def requests(cls):
        """Returns what was asked for since the last call."""
        messages = [json.loads(each["message"])["message"] for each in cls.driver.get_log("performance")]
        return [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]

    def assertOfThisHost(self, requests):
        self.assertGreater(len(requests), 0)
        self.assertEqual([url for url in requests if not url.startswith((self.origin + "/", "data:"))], [])

    def test_every_page_is_loaded_from_its_host_alone(self):
        for place, page in self.pages.items():
            with self.subTest(place):
                self.assertOfThisHost(page["requests"])
                # What can't be loaded, and what a script reports.
                self.assertEqual(page["console"], [])

    def test_every_page_fits_in_320_pixels(self):
        for place, page in self.pages.items():
            with self.subTest(place):
                self.assertLessEqual(page["room"], 320)
                self.assertLessEqual(page["width"], page["room"])

    def test_every_link_leads_somewhere(self):
        repository = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(?:blob|tree)/main/([^#]*)")
        inside = 0
        for place, page in self.pages.items():
            for link in map(urllib.parse.urlsplit, page["links"]):
                url = link.geturl()
                with self.subTest(f"{place}: {url}"):
                    if url.startswith(self.origin):
                        inside += 1
                        self.assertIn(link.path, self.pages)
                        if link.fragment:
                            self.assertIn(urllib.parse.unquote(link.fragment), self.pages[link.path]["ids"])
                    elif path := repository.match(url):
                        self.assertTrue(pathlib.Path(ROOT, path[1]).exists())
                    else:
                        self.assertEqual(link.scheme, "https")
        self.assertGreater(inside, 1000)

    def test_every_page_reads_as_in_the_repository(self):
        """Compares the words, and the numbers of headings, items, cells, blocks and links."""
        for place, page in self.pages.items():
            with self.subTest(place):
                self.assertEqual(*page["contents"])

    def test_the_search_finds_a_word(self):
        chromium.resize(self.driver, 1280)
        self.addCleanup(chromium.resize, self.driver, 320)
        self.open("/")
        self.driver.find_element(By.CSS_SELECTOR, "[data-md-component=search-query]").send_keys("freshFor")
        found = "return [...document.querySelectorAll('.md-search-result__link')].map((each) => new URL(each.href).pathname + new URL(each.href).hash)"
        until(lambda: "/manifest/#freshfor" in self.driver.execute_script(found), "a result", 60)
        self.assertOfThisHost(self.requests())

    def test_a_page_that_has_moved_keeps_its_address(self):
        self.open("/before-it-moved/#3-break-it")
        until(lambda: self.driver.current_url == self.origin + "/start/#3-break-it", "the new address")

    def test_no_address_vanishes(self):
        known = (SOURCES / "addresses.txt").read_text().splitlines()
        self.assertEqual(known, sorted(set(known)))
        lost = sorted(set(known) - set(self.addresses))
        self.assertEqual(lost, [], "these addresses have vanished; name the new places of their pages in redirect_maps of docs/site/mkdocs.yml")


if __name__ == "__main__":
    unittest.main()
