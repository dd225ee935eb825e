"""initweb: the page, the splash screen, the API and its control, with real supervisors."""

import html
import html.parser
import http.client
import json
import os
import re
import signal
import socket
import time

from deadlines import until
from fake import STATUS, FakeSupervisor
from supervisor import INITD, ROOT
from web import INITWEB, Web

GATED = """\
migrate: { command: 'until test -e go; do sleep 0.02; done' }
serve: { command: 'true', dependencies: [migrate] }
"""
TOKEN = "0123456789abcdef0123456789abcdef"
# Reports that half of the work is done.
NOTIFY = (
    "import os, socket, time; "
    "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'X_INITD_PROGRESS=0.5' + bytes([10]) + b'STATUS=half of it', os.environ['NOTIFY_SOCKET']); time.sleep(600)"
)
STAGED = GATED + "session: { command: 'true', priority: appActive }\n"


class Site(Web):
    def request(self, method, path, body=None, **headers):
        """The status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.request("GET", path)
        self.assertEqual(status, 200, body)
        return body

    def document(self):
        return json.loads(self.get("/api/v1/status"))

    def controlled(self, initializers=STAGED, *options):
        """A supervisor whose state clients with the token may change."""
        directory = self.directory()
        token = directory + "/token"
        with open(token, "w") as file:
            file.write(TOKEN + "\n")
        supervisor = self.start(self.manifest(initializers), directory=directory)
        self.web = self.serve(supervisor.path, "--control-token-file", token, *options)
        return supervisor


class Stream:
    """A reader of server-sent events."""

    def __init__(self, port, path="/api/v1/events", **headers):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def line(self):
        """A line of the body, without the marks of its chunks."""
        while True:
            line = self.file.readline()
            if not line:
                raise EOFError
            text = line.rstrip(b"\r\n")
            if not (line.endswith(b"\r\n") and (not text or re.fullmatch(rb"[0-9A-Fa-f]+", text))):
                return text.decode()

    def event(self):
        """The next event: its id, name and data."""
        fields = {}
        while True:
            line = self.line()
            if not line and "data" in fields:
                return fields["id"], fields["event"], json.loads(fields["data"])
            name, _, value = line.partition(": ")
            fields[name] = value

    def until(self, wanted):
        while True:
            event = self.event()
            if wanted(*event):
                return event

    def close(self):
        self.file.close()
        self.socket.close()


class PageTests(Site):
    def test_the_page_is_whole_without_scripts(self):
        supervisor = self.supervised(STAGED)
        page = until(lambda: "waits for migrate" in (found := self.get("/")) and found, "the page of a start")
        self.assertIn("<title>Starting –", page)
        self.assertIn('id="i-migrate" data-kind="running"', page)
        self.assertIn("What it waits for", page)
        open(supervisor.file("go"), "w").close()
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        page = until(lambda: "last active pass" in (found := self.get("/")) and "<title>Ready –" in found and found, "the page of a ready app")
        for part in ("Critical path of the last active pass", 'id="g-migrate"', "2 of 2 complete", "1 of 1 complete"):
            self.assertIn(part, page)

    def test_a_page_says_that_the_explanation_is_missing(self):
        path = self.directory() + "/fake.sock"
        # It answers no `status`.
        answers = {"subscribe": {"snapshot": STATUS}, "history": {"passes": []}, "status": None}
        fake = FakeSupervisor(path, lambda method, params: answers[method])
        self.addCleanup(fake.close)
        self.serve(path)
        self.until_reason("readyz", "launchPending")
        self.assertIn("No explanation: the supervisor hasn't answered within 2 s.", self.get("/").replace("&#39;", "'"))

    def test_nothing_from_elsewhere_is_loaded_and_nothing_is_inline(self):
        self.supervised("a: { command: 'echo \"<script>alert(1)</script>\"; exit 3' }")
        page = until(lambda: "&lt;script&gt;alert(1)" in (found := self.get("/")) and found, "the output of what failed")
        found = []

        class Parser(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                found.extend((tag, name, value) for name, value in attributes)

        Parser().feed(page)
        self.assertEqual([each for each in found if each[1] == "style" or each[1].startswith("on")], [])
        addresses = [value for _, name, value in found if name in ("src", "href")]
        self.assertEqual([each for each in addresses if not re.match("[/#]", each)], [])
        for address in {each for each in addresses if each.startswith("/assets/")}:
            self.get(address)
        policy = self.request("GET", "/")[1]["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)

    def test_pages_of_initializers_and_of_the_history(self):
        supervisor = self.supervised("a/b+c: { command: 'true' }")
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)
        page = until(lambda: "Critical path, or error" in (found := self.get("/history")) and found, "a pass")
        self.assertIn("a/b+c", page)
        self.assertIn("Launch pass 1", self.get(html.unescape(re.search(r'href="(/pass[^"]+)"', page)[1])))
        self.assertIn("/initializer?name=a%2Fb%2Bc", self.get("/"))
        self.assertIn("Median of 1 complete", self.get("/initializer?name=a%2Fb%2Bc"))
        self.assertIn("hasn&#39;t run", self.get("/initializer?name=absent").replace("hasn't run", "hasn&#39;t run"))

    def test_a_splash_screen_goes_on_to_the_app_and_nowhere_else(self):
        supervisor = self.supervised(STAGED)
        until(lambda: "of 3 steps" in self.request("GET", "/splash?to=/app")[2], "the splash screen")
        status, headers, page = self.request("GET", "/splash?to=/app")
        self.assertEqual((status, headers["Retry-After"]), (503, "2"))
        self.assertIn('data-target="/app"', page)
        self.assertIn('<noscript><meta http-equiv="refresh"', page)
        # The page is public, so it contains no names.
        self.assertNotIn("migrate", page)
        open(supervisor.file("go"), "w").close()
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.until_reason("readyz", None)
        for target, location in (("/app", "/app"), ("//evil.example", "/"), ("https://evil.example/", "/"), ("/%5Cevil.example", "/")):
            status, headers, _ = self.request("GET", "/splash?to=" + target)
            self.assertEqual((status, headers["Location"]), (303, location))

    def test_other_hosts_are_refused_but_not_for_probes(self):
        self.supervised("")
        for path in ("/", "/history", "/splash", "/api/v1/status", "/api/v1/events"):
            status, _, body = self.request("GET", path, Host="evil.example")
            self.assertEqual(status, 421, path)
            self.assertIn("--allow-host evil.example", body)
        self.assertEqual(self.request("GET", "/livez", Host="evil.example")[0], 200)
        self.assertEqual(self.request("GET", "/metrics", Host="evil.example")[0], 200)
        self.assertEqual(self.request("GET", "/", Host=f"localhost:{self.port}")[0], 200)

    def test_a_page_without_a_supervisor_says_so(self):
        self.serve(self.directory() + "/initd.sock")
        page = until(lambda: "initd.sock" in (found := self.get("/")) and found, "the reason")
        self.assertIn("<title>No answer –", page)
        self.assertIs(self.document()["summary"]["answering"], False)


class MomentTests(Site):
    """The page is of one moment, and tells what `initctl status` tells."""

    def row(self, page, name):
        """The text of an initializer's row."""
        found = re.search(rf'<li id="i-{name}".*?</li>', page, re.S)
        self.assertTrue(found, name)
        return html.unescape(re.sub("<[^>]*>", " ", found[0]))

    def until_page(self, *parts, path="/"):
        return until(lambda: all(part in (found := html.unescape(self.get(path))) for part in parts) and found, f"{parts} on the page")

    def test_every_part_of_the_page_is_of_the_same_moment(self):
        tables = [f"table-{n}" for n in range(14)]
        lines = [f"{name}: {{ command: 'sleep 0.3', dependencies: [{', '.join(tables[n - 1:n])}] }}\n" for n, name in enumerate(tables)]
        supervisor = self.supervised("".join(lines), "--no-launch")
        self.until_reason("readyz", "launchPending")
        self.assertStatus(supervisor.ctl("launch"), 0)
        seen = set()
        while True:
            page = self.get("/")
            if "<title>Ready" in page:
                break
            done = len(re.findall(r'<li id="i-[^"]*" data-kind="complete"', page))
            self.assertIn(f"{done} of 14 complete", re.search(r'<h2 id="launch">.*?</h2>', page)[0])
            running = re.findall(r'<li id="i-([^"]*)" data-kind="running"', page)
            if not running or 'id="why"' not in page:
                continue
            self.assertIn(f"launch waits for {running[0]} (running)", page)
            tree = re.search(r'<h2 id="why">.*?</section>', page, re.S)[0]
            self.assertIn(f"{done} of 14 complete", tree)
            self.assertEqual([name for name in re.findall(r"<b>([^<]*)</b>", tree) if name.startswith("table")], running)
            self.assertEqual(re.findall(r'id="g-([^"]*)" class="node" data-kind="running"', page), running)
            seen.add(done)
        self.assertGreater(len(seen), 1)

    def test_what_was_skipped_not_run_or_stopped_says_why(self):
        supervisor = self.supervised("""\
            bad: { command: 'echo no such table >&2; until test -e go; do sleep 0.02; done; exit 3' }
            after: { command: 'true', dependencies: [bad] }
            beside: { command: 'sleep 600' }
            never: { command: 'true', when: { env: NOT_SET_HERE } }
            """, "--concurrency", "4")
        page = until(lambda: 'id="i-never" data-kind="skipped"' in (found := self.get("/")) and found, "a skipped one")
        self.assertIn("NOT_SET_HERE", self.row(page, "never"))
        open(supervisor.file("go"), "w").close()
        self.until_reason("readyz", "launchFailed")
        page = until(lambda: 'id="i-beside" data-kind="cancelled"' in (found := self.get("/")) and found, "the end of the pass")
        self.assertIn("stopped because bad failed first", self.row(page, "beside"))
        self.assertIn("not run because bad failed first", self.row(page, "after"))
        self.assertIn("exit status 3", self.row(page, "bad"))
        self.assertIn("Why it failed", page)
        self.assertNotIn("What it waits for", page)

    def test_the_last_output_of_whatever_failed_is_on_the_page_and_on_that_of_the_pass(self):
        directory = self.directory()
        supervisor = self.start(self.manifest("""\
            index: { command: 'echo \"index: no <disk> left\" >&2; exit 3', optional: true }
            flags: { command: 'test -e tried && exit; touch tried; echo \"flags: no answer\"; exit 4', retry: { attempts: 3, delay: 10ms } }
            ok: { command: 'echo all is well' }
            """), directory=directory)
        history = ("--history", directory + "/history.db")
        self.web = self.serve(supervisor.path, *history)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        page = self.until_page("<title>Ready", "index: no <disk> left")
        self.assertNotIn("all is well", page)
        address = until(lambda: re.search(r'href="(/pass[^"]+number=1)"', self.get("/")), "the pass")[1]
        page = self.until_page("index: no <disk> left", "flags: no answer", path=html.unescape(address))
        self.assertNotIn("all is well", page)
        self.web.signal(signal.SIGTERM)
        self.web.wait()
        supervisor.ctl("shutdown")
        supervisor.ended()
        # The history has it too.
        self.serve(directory + "/none.sock", *history)
        until(lambda: self.request("GET", html.unescape(address))[0] == 200, "the history")
        self.until_page("index: no <disk> left", "flags: no answer", path=html.unescape(address))

    def test_a_kept_process_has_its_pid_its_time_and_its_restarts(self):
        directory = self.directory()
        head = "version: 1\nworkers:\n  up: { command: 'sleep 600' }\n  down: { command: 'echo no port >&2; exit 3', backoff: { delay: 1h, maxDelay: 1h } }\n"
        supervisor = self.start(self.manifest("a: { command: 'true' }", head=head), directory=directory)
        self.serve(supervisor.path)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        page = self.until_page("<title>Ready", "last: exit status 3", "starts again in", "the process down doesn't run", "no port", "What needs attention")
        pid = next(each["pid"] for each in supervisor.peer().ok("status")["processes"] if each["name"] == "up")
        self.assertRegex(page, rf"pid {pid}, up <span data-age=\"[0-9.]+\">\d+ s</span>")
        os.kill(pid, signal.SIGKILL)
        self.until_page("1 restart, last:")
        processes = {each["name"]: each for each in self.document()["processes"]}
        self.assertEqual((processes["down"]["running"], processes["down"]["lastExit"]), (False, "exit status 3"))
        self.assertGreater(processes["down"]["nextStart"], time.time() + 60)

    def test_what_a_start_reported_goes_once_it_is_complete(self):
        with socket.socket() as place:
            place.bind(("127.0.0.1", 0))
            port = place.getsockname()[1]
        supervisor = self.supervised(f"db: {{ waitFor: {{ tcp: '127.0.0.1:{port}', every: 50ms }} }}")
        self.until_page("refused")
        with socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(("127.0.0.1", port))
            server.listen()
            self.assertStatus(supervisor.ctl("wait", "launch"), 0)
            page = until(lambda: 'id="i-db" data-kind="complete"' in (found := self.get("/")) and found, "the end")
        self.assertNotIn("refused", page)

    def test_a_resumed_launch_has_the_times_of_what_ran_before(self):
        supervisor = self.supervised("a: { command: 'sleep 0.2' }\nb: { command: 'test -e go', dependencies: [a] }\n")
        self.until_reason("readyz", "launchFailed")
        open(supervisor.file("go"), "w").close()
        self.assertStatus(supervisor.ctl("launch", "--wait"), 0)
        page = until(lambda: 'id="i-b" data-kind="complete"' in (found := self.get("/")) and found, "the second pass")
        self.assertRegex(self.row(page, "a"), r"\d+ ms|\d\.\d+ s")

    def test_earlier_attempts_and_progress_are_drawn(self):
        self.supervised("""\
            flags: { command: 'test -e tried || { touch tried; sleep 0.1; exit 4; }; sleep 600', retry: { attempts: 3, delay: 10ms } }
            half: { command: ["python3", "-c", "NOTIFY"] }
            """.replace("NOTIFY", NOTIFY), "--concurrency", "4")
        page = until(lambda: {'class="attempt"', 'class="run rest"'} <= set(re.findall('class="[a-z ]*"', found := self.get("/"))) and found, "both bars")
        bar = re.search(r'<li id="i-flags".*?</svg>', page, re.S)[0]
        self.assertEqual(re.findall(r'rect class="(\w+)"', bar), ["attempt", "run"])
        self.assertIn("50% half of it", self.row(page, "half"))
        self.assertRegex(page, r'class="run" [^>]* data-share="0.500"')

    def test_the_rows_of_a_frozen_supervisor_are_marked(self):
        supervisor = self.supervised(STAGED)
        until(lambda: self.document()["initializers"], "the status")
        self.assertNotIn("data-stale", self.get("/"))
        os.kill(supervisor.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, supervisor.pid, signal.SIGCONT)
        page = until(lambda: "data-stale" in (found := self.get("/")) and found, "the page of a frozen supervisor")
        self.assertIn('id="i-migrate"', page)
        self.assertRegex(page, r'The rows show its state of <span data-age="[0-9.]+">\d+ s</span> ago')
        self.assertGreater(self.document()["summary"]["silentSince"], time.time() - 60)


class EventTests(Site):
    def stream(self, **headers):
        stream = Stream(self.port, **headers)
        self.addCleanup(stream.close)
        return stream

    def joins(self):
        """Returns whether another reader gets a place."""
        stream = Stream(self.port)
        stream.close()
        return stream.status == 200

    def test_the_supervisors_subscribers_are_counted(self):
        supervisor = self.supervised(STAGED)
        self.until_sample("initd_subscribers", 1)
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["log"])
        self.until_sample("initd_subscribers", 2)
        # It is counted while somebody reads events, too.
        stream = self.stream()
        stream.event()
        peer.close()
        self.until_sample("initd_subscribers", 1)

    def test_a_start_as_events(self):
        supervisor = self.supervised(STAGED)
        until(lambda: self.document()["initializers"], "the status")
        stream = self.stream()
        _, name, data = stream.event()
        self.assertEqual((name, data["summary"]["ready"], len(data["initializers"])), ("snapshot", False, 3))
        open(supervisor.file("go"), "w").close()
        stream.until(lambda _, name, data: name == "initializer" and data["name"] == "serve" and data["status"] == "complete")
        stream.until(lambda _, name, data: name == "pass" and data == {"pass": 1, "phase": "launch", "status": "complete"})
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        stream.until(lambda _, name, data: name == "summary" and data["ready"])

    def test_a_reader_that_comes_back_misses_nothing(self):
        supervisor = self.supervised("a: { command: 'true', priority: appActive }")
        until(lambda: self.document()["initializers"], "the status")
        stream = self.stream()
        last, _, _ = stream.event()
        for _ in range(5):
            self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
            self.assertStatus(supervisor.ctl("deactivate"), 0)
            stream.close()
            stream = self.stream(Last_Event_ID=last)
            number = int(last.split(".")[1])
            while True:
                last, name, data = stream.event()
                number += 1
                self.assertEqual((int(last.split(".")[1]), name == "snapshot"), (number, False))
                if name == "pass" and data["status"] == "complete":
                    break
        unknown = self.stream(Last_Event_ID="other.5")
        self.assertEqual(unknown.event()[1], "snapshot")

    def test_initializers_are_subscribed_to_only_for_readers(self):
        """Otherwise each run would cost the supervisor three events."""
        path, topics = self.directory() + "/fake.sock", []

        def answer(method, params):
            if method == "subscribe":
                topics.append(params["topics"])
            return {"subscribe": {"snapshot": STATUS}, "history": {"passes": []}, "status": STATUS}[method]

        fake = FakeSupervisor(path, answer)
        self.addCleanup(fake.close)
        self.serve(path)
        until(lambda: topics, "a subscription")
        for name in ("readyz", "metrics", "history", "api/v1/status"):
            self.ask("/" + name)
        self.assertNotIn("initializer", topics[-1])
        self.assertIn("state", self.get("/"))
        self.assertIn("initializer", topics[-1])
        stream = self.stream()
        stream.event()
        self.until_sample("initweb_event_readers", 1)
        stream.close()
        # Once it is noticed that the reader has gone, by a heartbeat, it may come back for 15 s.
        until(lambda: "initializer" not in topics[-1], "a subscription without initializers", 90)
        self.assertEqual(len(topics), 3)
        self.until_sample("initweb_event_readers", 0)

    def test_another_supervisor_is_a_snapshot(self):
        supervisor = self.supervised(STAGED)
        until(lambda: self.document()["initializers"], "the status")
        stream = self.stream()
        instance = stream.event()[2]["summary"]["instance"]
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        stream.until(lambda _, name, data: name == "summary" and not data["answering"])
        self.start(self.manifest("b: { command: 'true' }"), "--observe-socket", self.observe, directory=supervisor.directory)
        _, _, data = stream.until(lambda _, name, data: name == "snapshot")
        self.assertNotEqual(data["summary"]["instance"], instance)
        self.assertEqual([each["name"] for each in data["initializers"]], ["b"])

    def test_readers_are_bounded_and_leave_room_for_probes(self):
        directory = self.directory()
        supervisor = self.start(self.manifest(), directory=directory)
        self.serve(supervisor.path, "--connections", "24")
        self.until_reason("startupz", None)
        streams = [self.stream() for _ in range(16)]
        self.assertEqual({each.status for each in streams}, {200})
        status, headers, body = self.request("GET", "/api/v1/events")
        self.assertEqual((status, headers["Retry-After"]), (503, "5"))
        self.assertIn("16 clients read events already", body)
        self.assertEqual(self.probe("livez")[0], 200)
        streams.pop().close()
        # A disconnected reader is noticed when something is sent to it.
        until(self.joins, "a free place", 60)

    def test_readers_end_with_the_server(self):
        self.supervised(STAGED)
        stream = self.stream()
        stream.event()
        self.web.signal(signal.SIGTERM)
        with self.assertRaises(EOFError):
            stream.until(lambda *_: False)
        self.assertEqual(self.web.wait(), 0)


class ApiTests(Site):
    def test_why(self):
        supervisor = self.supervised("migrate: { command: 'echo no such table >&2; exit 3' }")
        self.until_reason("readyz", "launchFailed")
        why = json.loads(self.get("/api/v1/why"))
        while why["because"]:
            why = why["because"][0]
        self.assertEqual((why["name"], why["status"], why["output"]), ("migrate", "failed", ["no such table"]))
        self.assertEqual(json.loads(self.get("/api/v1/why/migrate"))["name"], "migrate")
        for name in ("absent", "%00", "a%20b", "%ff"):
            status, _, body = self.request("GET", "/api/v1/why/" + name)
            self.assertEqual((status, json.loads(body)["error"]["code"]), (404, "unknownInitializer"), name)
        os.kill(supervisor.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, supervisor.pid, signal.SIGCONT)
        until(lambda: self.request("GET", "/api/v1/why")[0] == 504, "an answer although the supervisor is frozen", 30)

    def test_the_description_names_every_path(self):
        self.supervised("")
        described = json.loads(self.get("/api/v1/openapi.json"))["paths"]
        for path, methods in described.items():
            for method in methods:
                status = 200 if path == "/events" else self.request(method.upper(), "/api/v1" + path.replace("{name}", "x"))[0]
                self.assertIn(str(status), methods[method]["responses"], path)

    def test_nothing_is_changed_without_the_option(self):
        self.supervised("")
        for name in ("activate", "deactivate", "launch", "rerun"):
            status, _, body = self.request("POST", "/api/v1/" + name, "{}", Authorization="Bearer " + TOKEN)
            self.assertEqual(status, 404)
            self.assertIn("--control-token-file", body)
        self.assertEqual(self.request("POST", "/api/v1/status")[0], 405)


class ControlTests(Site):
    def post(self, name, body="", **headers):
        status, _, text = self.request("POST", "/api/v1/" + name, body, **({"Authorization": "Bearer " + TOKEN} | headers))
        return status, json.loads(text)

    def test_a_client_with_the_token_does_what_initctl_does(self):
        supervisor = self.controlled()
        open(supervisor.file("go"), "w").close()
        status, answer = self.post("activate")
        self.assertEqual((status, len(answer["passes"])), (202, 1))
        self.assertStatus(supervisor.ctl("wait", "--timeout", "60s"), 0)
        self.assertEqual(self.post("deactivate"), (202, {"cancelled": []}))
        self.assertEqual(self.post("launch")[0], 202)
        self.assertEqual(self.post("rerun", '{"initializers":["migrate"],"withDependents":true}')[0], 202)
        self.assertEqual(self.post("rerun", '{"initializers":["absent"]}')[0], 404)
        self.assertEqual(self.post("rerun", '{"initializers":["session"]}')[0], 409)
        for bad in ("", "x", "[]", '{"initializers":[]}', '{"initializers":["a b"]}', '{"initializers":"migrate"}'):
            self.assertEqual(self.post("rerun", bad)[0], 400, bad)
        self.assertEqual(self.post("rerun", "x" * 20_000)[0], 413)

    def test_everybody_else_is_refused(self):
        supervisor = self.controlled()
        refused = [
            (401, {"Authorization": ""}),
            (401, {"Authorization": "Bearer x"}),
            (401, {"Authorization": "Basic " + TOKEN}),
            (403, {"Origin": "http://evil.example"}),
            (403, {"Origin": "null"}),
            (403, {"Sec_Fetch_Site": "cross-site"}),
            (421, {"Host": "evil.example"}),
        ]
        for status, headers in refused:
            with self.subTest(headers):
                self.assertEqual(self.post("activate", **headers)[0], status)
        self.assertEqual(self.request("GET", "/api/v1/activate", Authorization="Bearer " + TOKEN)[0], 405)
        self.assertEqual(supervisor.peer().status()["lifecycle"], "inactive")
        same = {"Origin": f"http://127.0.0.1:{self.port}", "Sec_Fetch_Site": "same-origin"}
        self.assertEqual(self.post("activate", **same)[0], 202)

    def test_an_observers_socket_does_not_suffice(self):
        directory = self.directory()
        with open(directory + "/token", "w") as file:
            file.write(TOKEN)
        self.start(self.manifest(), "--observe-socket", directory + "/o.sock", directory=directory)
        self.serve(directory + "/o.sock", "--control-token-file", directory + "/token")
        status, answer = self.post("activate")
        self.assertEqual((status, answer["error"]["code"]), (403, "notPermitted"))

    def test_bad_tokens_are_refused_at_the_start(self):
        directory = self.directory()
        for text in ("", "short\n", "with a space in it\n", "x" * 2000):
            with open(directory + "/token", "w") as file:
                file.write(text)
            web = self.program([INITWEB, "--control-token-file", directory + "/token"]).finish()
            self.assertEqual(web.status, 64)
            self.assertIn("openssl rand -hex 32", web.err)


class HistoryTests(Site):
    def test_pages_and_the_api_have_the_history_of_earlier_servers(self):
        directory = self.directory()
        supervisor = self.start(self.manifest(STAGED), directory=directory)
        open(supervisor.file("go"), "w").close()
        options = ("--history", directory + "/history.db")
        self.serve(supervisor.path, *options)
        for _ in range(3):
            self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
            self.assertStatus(supervisor.ctl("deactivate"), 0)
        passes = until(lambda: len(found := self.passes()) == 4 and found, "four passes")
        self.assertEqual([each["phase"] for each in passes], ["active", "active", "active", "launch"])
        self.assertEqual([each["pass"] for each in self.passes("?limit=2")], [4, 3])
        self.assertEqual([each["pass"] for each in self.passes(f"?before={passes[1]['id']}")], [2, 1])
        self.assertEqual(len(self.passes("?phase=launch")), 1)
        for query in ("limit=0", "limit=501", "limit=x", "before=x", "phase=other"):
            self.assertEqual(self.request("GET", "/api/v1/history?" + query)[0], 400, query)
        self.assertIn("Median of 3 complete", self.get("/initializer?name=session"))
        supervisor.ctl("shutdown")
        supervisor.ended()
        # Another server, without a supervisor, still has it.
        self.serve(directory + "/none.sock", *options)
        until(lambda: self.request("GET", "/api/v1/history")[0] == 200, "the history")
        self.assertEqual(len(self.passes()), 4)
        page = self.get("/history")
        self.assertIn("migrate → serve", page)
        addresses = [html.unescape(each) for each in re.findall(r'href="(/pass[^"]+)"', page)]
        self.assertEqual(len(addresses), 4)
        launch = self.get(addresses[-1])
        for part in ("Launch pass 1", 'id="i-serve"', 'id="g-migrate"', "Critical path"):
            self.assertIn(part, launch)
        for query in ("", "?number=1", addresses[0].removeprefix("/pass") + "99"):
            self.assertEqual(self.request("GET", "/pass" + query)[0], 404)

    def passes(self, query=""):
        status, _, body = self.request("GET", "/api/v1/history" + query)
        return json.loads(body)["passes"] if status == 200 else []

    def test_without_a_history_it_says_how_to_get_one(self):
        self.supervised("")
        status, _, body = self.request("GET", "/api/v1/history")
        self.assertEqual(status, 404)
        self.assertIn("--history PATH", body)


class ExampleTests(Site):
    def test_the_programs_accept_the_command_lines_of_the_examples(self):
        directory = os.path.join(ROOT, "Examples/web")
        with open(directory + "/compose.yaml") as file:
            commands = [json.loads(each) for each in re.findall(r"^ +command: (\[.*\])$", file.read(), re.M)]
        with open(directory + "/initweb.service") as file:
            commands.append(["initweb", *re.search(r"^ExecStart=\S+ (.*)$", file.read(), re.M)[1].split()])
        app, web, unit = commands
        place = self.directory()
        for words in (web, unit[1:]):
            own = [each.replace("/run/initd/", place + "/").replace("/run/", place + "/").replace("/var/lib/initweb", place) for each in words]
            own[own.index("--listen") + 1] = "127.0.0.1:0"
            self.program([INITWEB, *own]).until_err("listening at 127.0.0.1:")
        own = [each.replace("/init.yaml", directory + "/init.yaml").replace("/run/initd", place) for each in app]
        supervisor = self.program([INITD, *own, "--socket", place + "/initd.sock"])
        self.serve(place + "/observe.sock")
        until(lambda: [each["name"] for each in self.document()["initializers"]] == ["web"], "the app of the example")
        supervisor.signal(signal.SIGTERM)


class ConditionTests(Site):
    def test_a_frozen_and_a_restarted_supervisor_within_a_second(self):
        supervisor = self.supervised(STAGED)
        until(lambda: self.document()["initializers"], "the status")
        os.kill(supervisor.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, supervisor.pid, signal.SIGCONT)
        frozen = time.monotonic()
        until(lambda: "<title>No answer –" in self.get("/"), "the page of a frozen supervisor")
        took = time.monotonic() - frozen
        self.assertIn("migrate", self.get("/"))
        os.kill(supervisor.pid, signal.SIGCONT)
        until(lambda: "<title>Starting –" in self.get("/"), "the page of one that goes on")
        if os.environ.get("SPEED"):
            self.assertLess(took, 1.5)
