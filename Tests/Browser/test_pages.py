"""The pages of initweb in Chromium: live, at several widths, by axe's rules, with 1,000 initializers, and without scripts."""

import json
import os
import signal
import subprocess
import time

import chromium
from axe_selenium_python import Axe
from deadlines import until
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from supervisor import ROOT
from web import Web

TOKEN = "0123456789abcdef0123456789abcdef"
WIDTHS = (320, 768, 1280, 2560)
STAGED = """\
pick-port: { command: 'echo 8080' }
migrate: { command: 'echo "applying 0042"; until test -e go; do sleep 0.02; done', dependencies: [pick-port] }
index: { command: 'echo "no such table" >&2; exit 3', optional: true, dependencies: [pick-port] }
session: { command: 'sleep 0.1', priority: appActive, dependencies: [migrate] }
"""


def many(count):
    """Returns as many initializers, in columns of 16."""
    lines = [f"i{n}: {{ command: 'sleep 0.01', dependencies: [{f'i{n - 16}' if n >= 16 else 'first'}] }}" for n in range(count)]
    return "first: { command: 'until test -e go; do sleep 0.02; done' }\n" + "\n".join(lines)


class Pages(Web):
    def browser(self, **options):
        driver = chromium.started(**options)
        self.addCleanup(driver.quit)
        return driver

    def open(self, driver, path="/"):
        driver.get(f"http://127.0.0.1:{self.port}{path}")

    def word(self, driver):
        return driver.execute_script("return document.getElementById('state-word').textContent")

    def keep(self, driver, name):
        """Keeps a picture for people, if PICTURES names a directory."""
        if directory := os.environ.get("PICTURES"):
            driver.save_screenshot(f"{directory}/{name}.png")

    def assertClean(self, driver):
        """Checks that the policy refused nothing, and that no script failed."""
        self.assertEqual(driver.get_log("browser"), [])

    def assertAccessible(self, driver, name):
        axe = Axe(driver)
        axe.inject()
        self.assertEqual([(each["id"], each["nodes"][0]["target"]) for each in axe.run()["violations"]], [], name)

    def started(self, initializers=STAGED):
        supervisor = self.supervised(initializers)
        self.until_reason("startupz", "launchPending")
        return supervisor


class LiveTests(Pages):
    def test_a_start_is_seen_live_until_it_is_ready(self):
        supervisor = self.started()
        driver = self.browser()
        self.open(driver)
        self.assertEqual(self.word(driver), "Starting")
        kind = "return document.getElementById('i-migrate').dataset.kind"
        self.assertEqual(driver.execute_script(kind), "running")
        width = "return Number(document.querySelector('#i-migrate rect').getAttribute('width'))"
        first = driver.execute_script(width)
        until(lambda: driver.execute_script(width) > first, "a bar that grows")
        driver.execute_script("window.same = true")
        open(supervisor.file("go"), "w").close()
        until(lambda: driver.execute_script(kind) == "complete", "the end of migrate")
        until(lambda: self.word(driver) == "Inactive", "the end of launch")
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        until(lambda: self.word(driver) == "Ready", "readiness")
        self.assertTrue(driver.title.startswith("Ready"))
        until(lambda: "last active pass" in driver.execute_script("return document.body.textContent"), "the critical path")
        # The page wasn't loaded again.
        self.assertTrue(driver.execute_script("return window.same"))
        self.keep(driver, "ready")
        self.assertClean(driver)

    def test_a_page_survives_a_restart_of_the_supervisor_and_of_initweb(self):
        supervisor = self.started()
        driver = self.browser()
        self.open(driver)
        os.kill(supervisor.pid, signal.SIGSTOP)
        until(lambda: self.word(driver) == "No answer", "a frozen supervisor")
        os.kill(supervisor.pid, signal.SIGCONT)
        until(lambda: self.word(driver) == "Starting", "one that goes on")
        self.web.signal(signal.SIGTERM)
        self.web.wait()
        connection = "return document.getElementById('connection').textContent"
        until(lambda: "No connection" in driver.execute_script(connection), "the loss")
        self.keep(driver, "lost")
        self.web = self.program([*self.web.words[:-1], f"127.0.0.1:{self.port}"])
        until(lambda: driver.execute_script(connection) == "", "the connection", 60)
        open(supervisor.file("go"), "w").close()
        until(lambda: self.word(driver) == "Inactive", "news of the other server")

    def test_a_live_page_does_not_contradict_itself(self):
        names = [f"table-{n}" for n in range(10)]
        supervisor = self.supervised(
            "".join(f"{name}: {{ command: 'sleep 0.4', dependencies: [{', '.join(names[n - 1:n])}] }}\n" for n, name in enumerate(names)), "--no-launch")
        self.until_reason("startupz", "launchPending")
        driver = self.browser()
        self.open(driver)
        self.assertStatus(supervisor.ctl("launch"), 0)
        script = """
            const one = (selector) => document.querySelector(selector)?.textContent ?? "";
            return [one("#state-word"), one("#state-message"), [...document.querySelectorAll("[aria-labelledby=why] b")].map((each) => each.textContent),
                    document.querySelectorAll('li[data-kind="complete"]').length, one("#launch .count"),
                    [...document.querySelectorAll('li[data-kind="running"] a')].map((each) => each.textContent)];"""
        seen = set()
        while (found := driver.execute_script(script))[0] != "Ready":
            word, message, tree, done, count, running = found
            self.assertEqual(count, f"{done} of 10 complete", found)
            if running:
                self.assertIn(f"launch waits for {running[0]} ", message)
                self.assertEqual([name for name in tree if name in names], running, found)
                seen.add(done)
        self.assertGreater(len(seen), 1)
        self.assertClean(driver)

    def test_times_go_on_and_those_of_a_frozen_supervisor_stand_still(self):
        supervisor = self.started()
        driver = self.browser()
        self.open(driver)
        runs = "return document.querySelector('#i-migrate [data-runs]').textContent"
        first = driver.execute_script(runs)
        until(lambda: driver.execute_script(runs) != first, "a time that goes on")
        os.kill(supervisor.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, supervisor.pid, signal.SIGCONT)
        until(lambda: driver.execute_script("return document.querySelector('.known[data-stale]') !== null"), "grey rows")
        stopped = driver.execute_script(runs)
        age = "return document.querySelector('#state [data-age]').textContent"
        first = driver.execute_script(age)
        until(lambda: driver.execute_script(age) != first, "the age of the rows")
        self.assertEqual(driver.execute_script(runs), stopped)
        self.keep(driver, "frozen")
        self.assertAccessible(driver, "frozen")

    def test_a_splash_screen_goes_on_to_the_app(self):
        supervisor = self.started()
        driver = self.browser(width=320)
        self.open(driver, "/splash?to=/history")
        self.assertEqual(driver.execute_script("return document.querySelector('progress').max"), 4)
        self.keep(driver, "splash")
        self.assertAccessible(driver, "splash")
        open(supervisor.file("go"), "w").close()
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        until(lambda: driver.current_url.endswith("/history"), "the app")

    def test_without_scripts_it_is_a_snapshot(self):
        self.started()
        driver = self.browser(scripts=False)
        self.open(driver)
        # Chromium's own scripts still work.
        self.assertIn("waits for migrate", driver.page_source)
        self.assertIn("applying 0042", driver.page_source)


class LayoutTests(Pages):
    def test_every_page_at_every_width_by_axes_rules(self):
        supervisor = self.started()
        driver = {dark: self.browser(dark=dark) for dark in (False, True)}
        for stage in ("starting", "ready"):
            for dark, each in driver.items():
                for path in ("/", "/history", "/initializer?name=migrate"):
                    self.open(each, path)
                    for width in WIDTHS:
                        chromium.resize(each, width)
                        name = f"{stage}-{path.strip('/?=').replace('?', '-') or 'start'}-{width}-{'dark' if dark else 'light'}"
                        self.assertLessEqual(each.execute_script("return document.documentElement.scrollWidth"), width, name)
                        self.keep(each, name)
                    chromium.resize(each, 1280)
                    self.assertAccessible(each, f"{stage} {path}")
                    self.assertClean(each)
            if stage == "starting":
                open(supervisor.file("go"), "w").close()
                self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
                until(lambda: "last active pass" in self.ask("/")[2], "the pass")

    def test_bars_take_the_room_and_what_can_be_scrolled_says_so(self):
        names = [f"a-name-that-is-long-{n}" for n in range(6)]
        supervisor = self.supervised("".join(f"{name}: {{ command: 'true', dependencies: [{', '.join(names[n - 1:n])}] }}\n" for n, name in enumerate(names)))
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)
        until(lambda: "last launch pass" in self.ask("/")[2], "the pass")
        driver = self.browser(width=1024)
        self.open(driver)
        self.assertGreater(driver.execute_script("return document.querySelector('.bar').clientWidth"), 450)
        # Each note belongs to the region before it.
        shown = """return [...document.querySelectorAll('.scroll')].map((each) =>
            [each.scrollWidth > each.clientWidth, !each.nextElementSibling.hidden && each.nextElementSibling.textContent.startsWith("Scroll")])"""
        for width, scrolls in ((1024, True), (320, True), (2560, False)):
            chromium.resize(driver, width)
            until(lambda: len(found := driver.execute_script(shown)) == 2 and all(a == b for a, b in found) and any(a for a, _ in found) == scrolls,
                  f"notes at {width}")

    def test_an_initializers_page_has_an_axis(self):
        supervisor = self.supervised("a: { command: 'sleep 0.05' }")
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)
        until(lambda: "Median" in self.ask("/initializer?name=a")[2], "the pass")
        driver = self.browser()
        self.open(driver, "/initializer?name=a")
        axis = driver.execute_script("return [...document.querySelectorAll('.axis span')].map((each) => [each.textContent, each.getBoundingClientRect().top])")
        self.assertEqual(axis[2][0], "0")
        self.assertRegex(axis[0][0], r"\d m?s$")
        self.assertLess(axis[0][1], axis[2][1])
        self.assertRegex(driver.execute_script("return document.querySelector('figcaption').textContent"), r"\d{4}-\d\d-\d\d .* ago")

    def test_the_keyboard_suffices_and_keeps_its_place(self):
        supervisor = self.started()
        driver = self.browser()
        self.open(driver)
        active = "return document.activeElement.textContent"
        seen = []
        for _ in range(40):
            ActionChains(driver).send_keys(Keys.TAB).perform()
            seen.append(driver.execute_script(active))
            if seen[-1] == "index":
                break
        self.assertEqual(seen[0], "Skip to the content")
        self.assertEqual(seen[-1], "index")
        open(supervisor.file("go"), "w").close()
        until(lambda: self.word(driver) == "Inactive", "the end of launch")
        until(lambda: "last launch pass" in driver.execute_script("return document.body.textContent"), "the page again")
        self.assertEqual(driver.execute_script(active), "index")


class SizeTests(Pages):
    def test_a_thousand_initializers_without_a_lag(self):
        supervisor = self.started(many(1000))
        driver = self.browser()
        self.open(driver)
        self.assertEqual(driver.execute_script("return document.querySelectorAll('.rows li').length"), 1001)
        # How long the page's thread is busy at a time.
        driver.execute_script("window.long = []; new PerformanceObserver((list) => { for (const each of list.getEntries()) "
                              "window.long.push(each.duration); }).observe({ type: 'longtask' });")
        open(supervisor.file("go"), "w").close()
        self.assertStatus(supervisor.start_ctl("wait", "launch").finish(200), 0)
        count = "return document.querySelectorAll('.rows li[data-kind=\"complete\"]').length"
        until(lambda: driver.execute_script(count) == 1001, "all rows", 60)
        long = driver.execute_script("return window.long")
        print(f"1,000 initializers: {len(long)} tasks of more than 50 ms, the longest {max(long, default=0):.0f} ms")
        if os.environ.get("SPEED"):
            self.assertLess(max(long, default=0), 200)
        self.keep(driver, "thousand")


class ContractTests(Pages):
    def test_the_api_is_as_it_is_described(self):
        directory = self.directory()
        with open(directory + "/token", "w") as file:
            file.write(TOKEN)
        supervisor = self.start(self.manifest(STAGED), directory=directory)
        self.serve(supervisor.path, "--control-token-file", directory + "/token")
        self.until_reason("startupz", "launchPending")
        program = os.path.join(ROOT, ".build/browser/bin/schemathesis")
        address = f"http://127.0.0.1:{self.port}/api/v1/openapi.json"
        words = [program, "run", address, "--exclude-path", "/events", "--max-examples", "50", "--seed", "1", "--no-color",
                 "--header", f"Authorization: Bearer {TOKEN}"]
        found = subprocess.run(words, capture_output=True, text=True, timeout=600, cwd=directory)
        self.assertEqual(found.returncode, 0, found.stdout[-8000:])
