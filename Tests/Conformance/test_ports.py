"""everyday.md "Ports" (S36)."""

import os
import signal
import socket
import sys

from deadlines import until
from portblock import PortBlock, listener
from state import connected_to
from supervisor import INITD, Conformance, is_running

HOLD = """\
import socket, sys, time
with socket.create_server(("127.0.0.1", int(sys.argv[1]))):
    print("listens", flush=True)
    time.sleep(600)
"""

SERVER_LINE = "; ".join([
    "import socket, sys", "s = socket.create_server(('127.0.0.1', int(sys.argv[1])))", "[s.accept()[0].close() for _ in iter(int, 1)]",
]).replace('"', '\\"')
"""A server at the port of its first argument, as one line in double quotes of YAML."""


class PortCase(Conformance):
    def setUp(self):
        super().setUp()
        block = PortBlock()
        self.addCleanup(block.close)
        self.first = block.first
        self.runtime = self.directory()
        os.chmod(self.runtime, 0o700)

    def text(self, ports="", initializers="", workers="", head=""):
        """A manifest of these entries, each given as lines."""
        text = "version: 1\ncancelGrace: 2s\n" + head + (f"ports: {{ {ports} }}\n" if ports else "")
        for key, entries in (("workers", workers), ("initializers", initializers)):
            lines = [line.strip() for line in entries.strip().splitlines()]
            if lines:
                text += f"{key}:\n" + "".join(f"  {line}\n" for line in lines)
        return text

    def begin(self, ports="", initializers="", workers="", *arguments, head="", env=None, **options):
        """A supervisor with these ports, in the runtime directory of this test."""
        env = {"XDG_RUNTIME_DIR": self.runtime} | (env or {})
        supervisor = self.start(self.text(ports, initializers, workers, head), *arguments, env=env, **options)
        # It listens before it has chosen, and answers afterwards.
        supervisor.peer().close()
        return supervisor

    def refused(self, ports, status=73, **env):
        """The error of an `initd` that can't start with these ports."""
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), self.text(ports))
        env = {"XDG_RUNTIME_DIR": self.runtime} | env
        return self.assertStatus(self.initd("--socket", os.path.join(directory, "s"), "--config", path, env=env), status).err

    def ports(self, supervisor):
        return supervisor.peer().status().get("ports")

    def listen(self, port, address="127.0.0.1"):
        """Listens at a port until the test ends."""
        stream = listener(port, address)
        self.addCleanup(stream.close)
        return stream

    def stranger(self, port):
        """A program that listens at a port."""
        program = self.program([sys.executable, "-c", HOLD, str(port)])
        self.assertEqual(program.line(), "listens")
        return program

    def in_use(self, port, name, program):
        """The text that names the program at a port."""
        with open(f"/proc/{program.pid}/comm") as file:
            return f"port {port} ({name}) is in use by {file.read().strip()} (pid {program.pid})"

    def launched(self, supervisor):
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def cause(self, supervisor, initializer):
        """The message of the failure of launch, which is that of this initializer."""
        error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer=initializer)
        return error["cause"]["message"]

    def killed(self, supervisor):
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        until(lambda: connected_to(supervisor.path) is None, "a socket that refuses")

    def ended(self, supervisor):
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        supervisor.ended()

    def reload(self, supervisor, *entries, status=0, words=(), **options):
        self.write(supervisor.manifest, self.text(*entries, **options))
        return self.assertStatus(supervisor.ctl("reload", *words), status)


class ChoiceTests(PortCase):
    def test_a_number_is_that_one(self):
        supervisor = self.begin(f"web: {self.first + 5}, db: {self.first}")
        self.assertEqual(self.ports(supervisor), {"web": self.first + 5, "db": self.first})

    def test_a_number_with_plus_is_the_first_free_one_from_there(self):
        supervisor = self.begin(f"db: {self.first}+")
        self.assertEqual(self.ports(supervisor), {"db": self.first})

    def test_whoever_listens_has_the_port_at_any_address_and_of_ipv6_alone_too(self):
        for offset, address in ((0, "127.0.0.1"), (10, "0.0.0.0"), (20, "::1"), (30, "::"), (40, "127.0.0.2")):
            with self.subTest(address):
                first = self.first + offset
                self.listen(first, address)
                self.listen(first + 1, address)
                supervisor = self.begin(f"db: {first}+")
                self.assertEqual(self.ports(supervisor), {"db": first + 2})

    def test_time_wait_does_not_count(self):
        server = listener(self.first)
        client = socket.create_connection(("127.0.0.1", self.first))
        accepted, _ = server.accept()
        server.close()
        # The side that closes first keeps the connection in TIME_WAIT.
        accepted.shutdown(socket.SHUT_WR)
        self.assertEqual(client.recv(1), b"")
        client.close()
        accepted.close()

        def waits():
            with open("/proc/net/tcp") as file:
                return any(f":{self.first:04X} " in (row := line.split())[1] + " " and row[3] == "06" for line in file.read().splitlines()[1:])

        until(waits, "TIME_WAIT")
        self.assertEqual(self.ports(self.begin(f"db: {self.first}+")), {"db": self.first})
        self.assertTrue(waits(), "still")

    def test_auto_is_any_free_one(self):
        supervisor = self.begin("a: auto, b: auto, c: auto")
        ports = self.ports(supervisor)
        self.assertEqual(list(ports), ["a", "b", "c"])
        self.assertEqual(len(set(ports.values())), 3)
        for number in ports.values():
            self.listen(number)

    def test_no_two_names_have_the_same_unless_both_are_given(self):
        supervisor = self.begin(f"a: {self.first}+, b: {self.first}+, c: {self.first}, d: {self.first + 1}+")
        ports = self.ports(supervisor)
        self.assertEqual(ports["c"], self.first)
        self.assertEqual(sorted(ports.values()), [self.first, self.first + 1, self.first + 2, self.first + 3])

    def test_it_is_kept_for_the_supervisors_life(self):
        supervisor = self.begin(f"db: {self.first}+, any: auto", "a: { command: 'echo $INITD_PORT_DB $INITD_PORT_ANY >> ran', phase: active }")
        before = self.ports(supervisor)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.listen(self.first)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.assertEqual(self.reload(supervisor, f"db: {self.first}+, any: auto", "a: { command: 'echo $INITD_PORT_DB $INITD_PORT_ANY >> ran', phase: active }").out, "= 1 unchanged\n")
        self.assertEqual(self.ports(supervisor), before)
        self.assertEqual(supervisor.lines("ran"), [f"{before['db']} {before['any']}"] * 2)

    def test_without_ports_status_has_none(self):
        self.assertIsNone(self.ports(self.begin()))

    def test_nothing_is_left_for_a_name_beyond_the_last_port(self):
        """The numbers end at 65535, however many of the hundred are left."""
        with listener(65535):
            err = self.refused("db: 65535+")
        self.assertIn("65535", err)
        self.assertNotIn("65536", err)


class NeighbourTests(PortCase):
    def test_two_supervisors_never_choose_the_same(self):
        entries = f"web: {self.first}+, db: {self.first}+, debug: auto"
        first, second = self.begin(entries), self.begin(entries)
        chosen = [*self.ports(first).values(), *self.ports(second).values()]
        self.assertEqual(len(set(chosen)), 6, chosen)
        self.assertEqual(sorted(each for each in chosen if self.first <= each < self.first + 100), [self.first + each for each in range(4)])

    def test_even_if_many_start_at_once(self):
        programs = []
        for _ in range(8):
            directory = self.directory()
            path = self.write(os.path.join(directory, "init.yaml"), self.text(f"web: {self.first}+, debug: auto"))
            socket_path = os.path.join(directory, "s")
            programs.append((self.program([INITD, "--socket", socket_path, "--config", path], env={"XDG_RUNTIME_DIR": self.runtime}), socket_path))
        chosen = []
        for program, path in programs:
            until(lambda path=path: connected_to(path), "a supervisor")
            [status] = self.assertStatus(self.initctl("--socket", path, "status", "--json"), 0).json()
            chosen += status["ports"].values()
        self.assertEqual(len(set(chosen)), 16, chosen)

    def test_a_given_number_of_another_one_is_not_chosen(self):
        self.begin(f"web: {self.first}")
        self.assertEqual(self.ports(self.begin(f"web: {self.first}+")), {"web": self.first + 1})

    def test_one_that_has_ended_gives_its_ports_up(self):
        first = self.begin(f"web: {self.first}+")
        second = self.begin(f"web: {self.first}+")
        self.ended(first)
        self.assertEqual(self.ports(self.begin(f"web: {self.first}+")), {"web": self.first})
        self.assertEqual(self.ports(second), {"web": self.first + 1})

    def test_the_lock_of_a_killed_one_does_not_count(self):
        first = self.begin(f"web: {self.first}+")
        self.killed(first)
        self.assertEqual(self.ports(self.begin(f"web: {self.first}+")), {"web": self.first})

    def test_the_lock_of_a_killed_one_does_not_count_though_a_daemon_is_left(self):
        """A program that a supervisor has started doesn't inherit the lock."""
        directory = self.directory()
        path = self.write(os.path.join(directory, "daemon"), "#!/bin/sh\necho $$ > tmp\nmv tmp pid\nexec sleep 600\n")
        os.chmod(path, 0o755)
        first = self.begin(f"web: {self.first}+", "a: { command: 'setsid ./daemon > /dev/null 2>&1 & until test -s pid; do sleep 0.01; done' }", directory=directory)
        self.launched(first)
        [pid] = first.until_lines("pid")
        self.addCleanup(os.kill, int(pid), signal.SIGKILL)
        self.killed(first)
        self.assertTrue(is_running(int(pid)))
        self.assertEqual(self.ports(self.begin(f"web: {self.first}+")), {"web": self.first})

    def test_a_removed_name_is_free_for_others(self):
        first = self.begin(f"web: {self.first}+, db: {self.first}+")
        self.assertEqual(sorted(self.ports(first).values()), [self.first, self.first + 1])
        kept = self.ports(first)["db"]
        self.reload(first, f"db: {self.first}+")
        self.assertEqual(self.ports(first), {"db": kept})
        [other] = self.ports(self.begin(f"web: {self.first}+")).values()
        self.assertEqual({kept, other}, {self.first, self.first + 1})

    def test_the_locks_are_in_the_runtime_directory_of_the_user(self):
        self.begin(f"web: {self.first}+")
        found = os.path.join(self.runtime, "initd")
        self.assertTrue([each for each in os.listdir(found) if str(self.first) in each], os.listdir(found))
        self.assertEqual(os.stat(found).st_mode & 0o777, 0o700)

    def test_without_xdg_runtime_dir_too(self):
        first = self.begin(f"web: {self.first}+", env={"XDG_RUNTIME_DIR": None})
        second = self.begin(f"web: {self.first}+", env={"XDG_RUNTIME_DIR": None})
        self.assertEqual([self.ports(first), self.ports(second)], [{"web": self.first}, {"web": self.first + 1}])

    def test_a_directory_that_others_may_use_is_refused(self):
        found = os.path.join(self.runtime, "initd")
        os.mkdir(found)
        os.chmod(found, 0o755)
        self.assertIn(found, self.refused(f"web: {self.first}+"))


class StateTests(PortCase):
    def again(self, ports, directory):
        return self.begin(ports, "", "", "--state-directory", os.path.join(directory, "state"), directory=directory)

    def test_with_a_state_directory_it_is_chosen_again(self):
        for end in (self.ended, self.killed):
            with self.subTest(end.__name__):
                directory = self.directory()
                with listener(self.first):
                    first = self.again(f"web: {self.first}+, any: auto", directory)
                    before = self.ports(first)
                    self.assertEqual(before["web"], self.first + 1)
                end(first)
                second = self.again(f"web: {self.first}+, any: auto", directory)
                self.assertEqual(self.ports(second), before)
                self.ended(second)

    def test_unless_it_is_not_free_any_more(self):
        directory = self.directory()
        with listener(self.first):
            first = self.again(f"web: {self.first}+, any: auto", directory)
        before = self.ports(first)
        self.ended(first)
        self.listen(self.first + 1)
        self.listen(before["any"])
        now = self.ports(self.again(f"web: {self.first}+, any: auto", directory))
        self.assertEqual(now["web"], self.first)
        self.assertNotEqual(now["any"], before["any"])

    def test_or_another_supervisor_has_it(self):
        directory = self.directory()
        with listener(self.first):
            first = self.again(f"web: {self.first}+", directory)
        self.ended(first)
        self.begin(f"web: {self.first + 1}+")
        self.assertEqual(self.ports(self.again(f"web: {self.first}+", directory)), {"web": self.first})

    def test_or_the_hundred_are_others(self):
        directory = self.directory()
        self.ended(self.again(f"web: {self.first}+", directory))
        self.assertEqual(self.ports(self.again(f"web: {self.first + 3}+", directory)), {"web": self.first + 3})

    def test_a_name_of_a_reload_is_chosen_again_too(self):
        directory = self.directory()
        first = self.again(f"web: {self.first}+", directory)
        with listener(self.first + 1):
            self.reload(first, f"web: {self.first}+, db: {self.first + 1}+")
        before = self.ports(first)
        self.assertEqual(before["db"], self.first + 2)
        self.ended(first)
        self.assertEqual(self.ports(self.again(f"web: {self.first}+, db: {self.first + 1}+", directory)), before)

    def test_a_damaged_record_only_means_another_choice(self):
        directory = self.directory()
        with listener(self.first):
            first = self.again(f"web: {self.first}+", directory)
        self.ended(first)
        with open(os.path.join(directory, "state", "ports"), "w") as file:
            file.write('{"web":')
        self.assertEqual(self.ports(self.again(f"web: {self.first}+", directory)), {"web": self.first})

    def test_without_a_state_directory_it_is_chosen_anew(self):
        with listener(self.first):
            first = self.begin(f"web: {self.first}+")
        self.assertEqual(self.ports(first), {"web": self.first + 1})
        self.ended(first)
        self.assertEqual(self.ports(self.begin(f"web: {self.first}+")), {"web": self.first})


class FullTests(PortCase):
    def fill(self, count=100):
        for number in range(self.first, self.first + count):
            self.listen(number)

    def test_with_none_of_the_hundred_free_initd_ends_with_73(self):
        self.fill()
        err = self.refused(f"a: auto, web: {self.first}+")
        for word in ("web", str(self.first), str(self.first + 99)):
            self.assertIn(word, err)
        self.assertNotIn(str(self.first + 100), err)

    def test_the_last_one_of_the_hundred_is_chosen(self):
        self.fill(99)
        self.assertEqual(self.ports(self.begin(f"web: {self.first}+")), {"web": self.first + 99})

    def test_other_supervisors_may_have_them_all(self):
        self.fill(99)
        self.begin(f"web: {self.first}+")
        self.assertIn("none of", self.refused(f"web: {self.first}+"))

    def test_for_a_new_name_at_a_reload_nothing_changes(self):
        initializer = "a: { command: 'echo ran >> ran' }"
        directory = self.directory()
        supervisor = self.begin("any: auto", initializer, "", "--state-directory", os.path.join(directory, "state"), directory=directory)
        self.launched(supervisor)
        peer = supervisor.peer()
        before = peer.status()
        with open(os.path.join(directory, "state", "ports")) as file:
            recorded = file.read()
        self.fill()
        done = self.reload(supervisor, f"any: auto, other: auto, web: {self.first}+", "a: { command: 'echo changed >> ran' }\nb: { command: 'echo new >> ran' }", status=1)
        self.assertEqual(done.out, "")
        for word in ("web", f"{self.first}", f"{self.first + 99}", "nothing has changed"):
            self.assertIn(word, done.err)
        after = peer.status()
        for name in ("initializers", "launch", "active", "seq", "ports"):
            self.assertEqual(after[name], before[name], name)
        self.assertEqual(supervisor.lines("ran"), ["ran"])
        with open(os.path.join(directory, "state", "ports")) as file:
            self.assertEqual(file.read(), recorded)
        self.assertEqual(self.reload(supervisor, "any: auto", initializer).out, "= 1 unchanged\n")

    def test_a_changed_entry_without_a_free_port_changes_nothing_either(self):
        supervisor = self.begin(f"web: {self.first + 105}", "a: { command: ['true', '${ports.web}'] }")
        self.launched(supervisor)
        self.fill()
        self.reload(supervisor, f"web: {self.first}+", "a: { command: ['true', '${ports.web}'] }", status=1)
        self.assertEqual(self.ports(supervisor), {"web": self.first + 105})


class InUseTests(PortCase):
    def test_somebody_elses_listener_at_a_fixed_port_fails_the_run_before_it_starts(self):
        other = self.stranger(self.first)
        for work in (
            "command: [sh, -c, 'echo > started', sh, '${ports.web}']", "command: 'echo > started', environment: { V: '${ports.web}' }",
        ):
            with self.subTest(work):
                supervisor = self.begin(f"web: {self.first}", f"a: {{ {work} }}")
                self.assertTrue(self.cause(supervisor, "a").startswith(self.in_use(self.first, "web", other)), self.cause(supervisor, "a"))
                self.assertFalse(os.path.exists(supervisor.file("started")))

    def test_and_the_start_of_a_process(self):
        other = self.stranger(self.first)
        supervisor = self.begin(f"web: {self.first}", "", """
            web: { command: [sh, -c, 'echo > started; exec sleep 600', sh, '${ports.web}'], ready: { tcp: "127.0.0.1:${ports.web}" } }
            """)
        message = self.cause(supervisor, "web")
        self.assertTrue(message.startswith(self.in_use(self.first, "web", other)), message)
        self.assertFalse(os.path.exists(supervisor.file("started")))

    def test_and_of_a_process_without_ready(self):
        other = self.stranger(self.first)
        supervisor = self.begin(f"web: {self.first}", "", "web: { command: [sh, -c, 'echo > started; exec sleep 600', sh, '${ports.web}'] }")
        peer = supervisor.peer()
        process = until(lambda: (found := peer.status()["processes"][0]).get("lastExit") and found, "a failed start")
        self.assertTrue(process["lastExit"]["message"].startswith(self.in_use(self.first, "web", other)), process)
        self.assertFalse(os.path.exists(supervisor.file("started")))
        self.assertIn(self.in_use(self.first, "web", other), supervisor.ctl("status").out)

    def test_a_listener_of_ipv6_alone_counts(self):
        self.listen(self.first, "::1")
        supervisor = self.begin(f"web: {self.first}", "a: { command: ['true', '${ports.web}'] }")
        with open(f"/proc/{os.getpid()}/comm") as file:
            self.assertTrue(self.cause(supervisor, "a").startswith(f"port {self.first} (web) is in use by {file.read().strip()} (pid {os.getpid()})"))

    def test_once_it_has_ended_launch_starts_it(self):
        other = self.stranger(self.first)
        supervisor = self.begin(f"web: {self.first}", "", f"""
            web: {{ command: [{sys.executable}, -c, "{SERVER_LINE}", '${{ports.web}}'], ready: {{ tcp: "127.0.0.1:${{ports.web}}", every: 10ms }} }}
            """)
        self.cause(supervisor, "web")
        other.end()
        self.assertStatus(supervisor.ctl("launch", "--wait"), 0)
        self.launched(supervisor)

    def test_who_does_not_refer_to_it_is_not_failed(self):
        self.stranger(self.first)
        supervisor = self.begin(f"web: {self.first}", "a: { command: 'echo $INITD_PORT_WEB > seen' }", "b: { command: 'echo > b; exec sleep 600', ready: { path: b } }")
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("seen"), [str(self.first)])

    def test_the_supervisor_itself_starts(self):
        self.stranger(self.first)
        supervisor = self.begin(f"web: {self.first}")
        self.assertEqual(self.ports(supervisor), {"web": self.first})

    def test_our_own_process_may_listen_there(self):
        supervisor = self.begin(f"web: {self.first}", """
            a: { command: [sh, -c, 'echo "$1" > seen', sh, 'http://127.0.0.1:${ports.web}'], dependencies: [web] }
            b: { waitFor: { tcp: "127.0.0.1:${ports.web}" }, dependencies: [web] }
            c: { command: 'echo $V >> seen', environment: { V: "${ports.web}" }, dependencies: [a], phase: active }
            """, f"""
            web: {{ command: [{sys.executable}, -c, "{SERVER_LINE}", '${{ports.web}}'], ready: {{ tcp: "127.0.0.1:${{ports.web}}", every: 10ms }} }}
            other: {{ command: [sleep, '600', '${{ports.web}}'], dependencies: [web] }}
            """)
        self.launched(supervisor)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.assertEqual(supervisor.lines("seen"), [f"http://127.0.0.1:{self.first}", str(self.first)])
        self.assertStatus(supervisor.ctl("rerun", "a", "--wait"), 0)

    def test_so_may_a_daemon_that_a_command_has_started(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "daemon"), f'#!/bin/sh\nexec {sys.executable} -c "{SERVER_LINE}" "$1"\n'.replace('\\"', '"'))
        os.chmod(path, 0o755)
        supervisor = self.begin(f"web: {self.first}", f"""
            start: {{ command: 'setsid ./daemon $INITD_PORT_WEB > /dev/null 2>&1 & until {sys.executable} -c "import socket; socket.create_connection((\'\'127.0.0.1\'\', {self.first}))" 2> /dev/null; do sleep 0.05; done' }}
            use: {{ command: ['true', '${{ports.web}}'], dependencies: [start] }}
            """, directory=directory)
        self.launched(supervisor)

    def test_what_another_supervisor_has_started_is_somebody_elses(self):
        worker = f"web: {{ command: [{sys.executable}, -c, \"{SERVER_LINE}\", '${{ports.web}}'], ready: {{ tcp: \"127.0.0.1:${{ports.web}}\", every: 10ms }} }}"
        first = self.begin(f"web: {self.first}", "", worker)
        self.launched(first)
        [process] = first.peer().status()["processes"]
        second = self.begin(f"web: {self.first}", "", worker)
        self.assertIn(f"(pid {process['pid']})", self.cause(second, "web"))

    def test_it_starts_again_after_a_crash_and_a_rerun(self):
        supervisor = self.begin(f"web: {self.first}", "", f"""
            web: {{ command: [{sys.executable}, -c, "{SERVER_LINE}", '${{ports.web}}'], ready: {{ tcp: "127.0.0.1:${{ports.web}}", every: 10ms }}, restart: always, backoff: {{ delay: 10ms }} }}
            """)
        self.launched(supervisor)
        peer = supervisor.peer()
        pid = peer.status()["processes"][0]["pid"]
        os.kill(pid, signal.SIGKILL)
        until(lambda: (status := peer.status())["processes"][0].get("pid", pid) != pid and status["launch"]["state"] == "complete", "a second start")
        self.assertStatus(supervisor.ctl("rerun", "web", "--wait"), 0)
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)


class ReferenceTests(PortCase):
    def test_it_stands_where_an_output_may_stand_without_a_dependency(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, f"d{self.first}"))
        with open(os.path.join(directory, f"made{self.first}"), "w"):
            pass
        supervisor = self.begin(f"web: {self.first}+", """
            a: { command: [sh, -c, 'echo "$1 $V" > seen', sh, "<${ports.web}>"], environment: { V: "at ${ports.web}" }, workingDirectory: "d${ports.web}", stop: [sh, -c, 'echo "$1" > stopped', sh, "${ports.web}"] }
            b: { waitFor: { path: "made${ports.web}" } }
            """, f"""
            web: {{ command: [{sys.executable}, -c, "{SERVER_LINE}", '${{ports.web}}'], ready: {{ tcp: "127.0.0.1:${{ports.web}}", every: 10ms }} }}
            c: {{ command: [sleep, '600'], ready: {{ command: [sh, -c, 'echo $1 > checked', sh, "${{ports.web}}"] }} }}
            """, directory=directory)
        self.launched(supervisor)
        self.ended(supervisor)
        for name, expected in ((f"d{self.first}/seen", f"<{self.first}> at {self.first}\n"), (f"d{self.first}/stopped", f"{self.first}\n"), ("checked", f"{self.first}\n")):
            with open(os.path.join(directory, name)) as file:
                self.assertEqual(file.read(), expected, name)

    def test_a_server_of_http_is_ready_there(self):
        supervisor = self.begin("web: auto", "", f"""
            web: {{ command: [{sys.executable}, -m, http.server, --bind, 127.0.0.1, '${{ports.web}}'], ready: {{ http: "http://127.0.0.1:${{ports.web}}/", every: 10ms }} }}
            """)
        self.launched(supervisor)
        with socket.create_connection(("127.0.0.1", self.ports(supervisor)["web"])):
            pass

    def test_the_messages_of_a_check_have_the_number(self):
        supervisor = self.begin("web: auto", "", "web: { command: [sleep, '600'], ready: { tcp: \"127.0.0.1:${ports.web}\", every: 10ms } }")
        port = self.ports(supervisor)["web"]
        peer = supervisor.peer()
        until(lambda: f"connection refused by 127.0.0.1:{port}" in peer.initializer("web").get("progress", {}).get("message", ""), "a message with the number")

    def test_it_is_in_the_environment_of_everything(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), self.text(
            f"web: {self.first}+, my-db.x2: {self.first}+", "a: { command: 'env > command', stop: 'env > stop' }\nb: { command: 'env > active', phase: active }",
            "w: { command: 'env > tmp; mv tmp process; exec sleep 600', ready: { command: 'env > check; test -e process' } }"))
        program = self.program(
            [INITD, "--socket", os.path.join(directory, "s"), "--config", path, "--", "/bin/sh", "-c", "env > app"], cwd=directory, env={"XDG_RUNTIME_DIR": self.runtime})
        self.assertEqual(program.wait(), 0)
        seen = {}
        for name in ("command", "active", "process", "check", "app", "stop"):
            with open(os.path.join(directory, name)) as file:
                seen[name] = dict(line.split("=", 1) for line in file.read().splitlines() if line.startswith("INITD_PORT_"))
        self.assertEqual(sorted(seen["command"]), ["INITD_PORT_MY_DB_X2", "INITD_PORT_WEB"])
        self.assertEqual(sorted(seen["command"].values()), [str(self.first), str(self.first + 1)])
        for name, found in seen.items():
            self.assertEqual(found, seen["command"], name)

    def test_variables_leave_it_in(self):
        """They select only from the manifest's environment."""
        supervisor = self.begin(f"web: {self.first}+", "a: { command: 'echo $INITD_PORT_WEB $A $B > seen', variables: [A] }", head="environment: { A: a, B: b }\n")
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("seen"), [f"{self.first} a"])

    def test_it_overrides_what_initd_has_inherited(self):
        supervisor = self.begin(f"web: {self.first}+", "a: { command: 'echo $INITD_PORT_WEB $INITD_PORT_OTHER > seen' }", env={"INITD_PORT_WEB": "1"})
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("seen"), [str(self.first)])

    def test_the_request_environment_has_it(self):
        supervisor = self.begin(f"web: {self.first}+", "a: { command: 'true', environment: { V: '<${ports.web}>' } }", "w: { command: [sleep, '600'], environment: { V: '<${ports.web}>' } }")
        for name in ("a", "w"):
            variables = supervisor.peer().ok("environment", name=name)["variables"]
            self.assertEqual((variables["INITD_PORT_WEB"], variables["V"]), (str(self.first), f"<{self.first}>"))


class CheckTests(PortCase):
    def mistake(self, text, line, column, *words):
        """`check` finds one mistake, here, and says these words."""
        path = self.write(os.path.join(self.directory(), "init.yaml"), text)
        done = self.assertStatus(self.initd("--check", path), 65)
        self.assertEqual(len(done.err.splitlines()), 1, done.err)
        self.assertTrue(done.err.startswith(f"{path}:{line}:{column}: "), done.err)
        for word in words:
            self.assertIn(word, done.err)

    def test_two_names_that_share_a_variable_are_a_mistake(self):
        self.mistake("version: 1\nports: { a-b: 8080, a.b: 8081 }\n", 2, 21, "INITD_PORT_A_B", '"a-b"', '"a.b"')
        self.mistake("version: 1\nports: { web: 8080, WEB: auto }\n", 2, 21, "INITD_PORT_WEB")

    def test_in_a_text_it_is_a_mistake_with_the_remedy(self):
        for line, remedy in (
            ("  a: { command: 'run ${ports.my-web}' }", '"$INITD_PORT_MY_WEB"'), ("  a: { command: x, stop: 'run ${ports.my-web}' }", '"$INITD_PORT_MY_WEB"'),
        ):
            with self.subTest(line):
                self.mistake("version: 1\nports: { my-web: 8080 }\ninitializers:\n" + line + "\n", 4, line.index("'run") + 1, "${ports.my-web}", remedy)
        line = "  w: { command: 'run ${ports.web}' }"
        self.mistake("version: 1\nports: { web: 8080 }\nworkers:\n" + line + "\n", 4, line.index("'run") + 1, '"$INITD_PORT_WEB"')
        line = "  w: { command: x, ready: { command: 'try ${ports.web}' } }"
        self.mistake("version: 1\nports: { web: 8080 }\nworkers:\n" + line + "\n", 4, line.index("'try") + 1, '"$INITD_PORT_WEB"')

    def test_an_unknown_port_is_a_mistake(self):
        for key, line in (
            ("initializers", "  a: { command: [run, '${ports.wbe}'] }"), ("initializers", "  a: { waitFor: { tcp: 'localhost:${ports.wbe}' } }"),
            ("workers", "  w: { command: [run, '${ports.wbe}'] }"), ("workers", "  w: { command: [run], ready: { tcp: 'localhost:${ports.wbe}' } }"),
        ):
            with self.subTest(line):
                self.mistake(f"version: 1\nports: {{ web: 8080 }}\n{key}:\n" + line + "\n", 4, line.index("'") + 1, 'unknown port "wbe"', 'did you mean "web"?')
        line = "  a: { command: [run, '${ports.web}'] }"
        self.mistake("version: 1\ninitializers:\n" + line + "\n", 3, line.index("'") + 1, 'unknown port "web"', "ports: { web:")

    def test_a_target_that_no_number_can_make_good_is_a_mistake(self):
        line = "  w: { command: [run], ready: { http: 'ftp://localhost:${ports.web}/' } }"
        self.mistake("version: 1\nports: { web: 8080 }\nworkers:\n" + line + "\n", 4, line.index("'") + 1)

    def test_what_is_no_port_is_a_mistake(self):
        for value in ("0", "65536", "-1", "08080", "0+", "65536+", "'80 +'", "any", "http", "8080-8090", "1.5", "''"):
            with self.subTest(value):
                self.mistake(f"version: 1\nports: {{ web: {value} }}\n", 2, 15, "auto")
        self.mistake("version: 1\nports: { web: [8080] }\n", 2, 15)
        self.mistake("version: 1\nports: [8080]\n", 2, 8)
        for value in ("1", "65535", "65535+", "auto", "'8080'", '"8080+"'):
            self.assertStatus(self.initd("--check", self.write(os.path.join(self.directory(), "init.yaml"), f"version: 1\nports: {{ web: {value} }}\n")), 0)

    def test_resolved_shows_them_as_written(self):
        text = """\
            version: 1
            ports: { web: 8080, db: 5432+, debug: auto }
            initializers:
              a: { command: [./run, "${ports.web} $${ports.web}"], environment: { V: "${ports.db}" } }
            workers:
              web: { command: [web, "${ports.debug}"], ready: { http: "http://localhost:${ports.web}/" } }
            """

        def resolved(text):
            path = self.write(os.path.join(self.directory(), "init.yaml"), text)
            return self.assertStatus(self.initd("--check", path, "--resolved"), 0).out

        whole = resolved(text)
        for written in ("ports", "8080", "5432+", "auto", "${ports.web} $${ports.web}", "${ports.db}", "${ports.debug}", "http://localhost:${ports.web}/"):
            self.assertIn(written, whole)
        self.assertEqual(resolved(whole), whole)

    def test_several_files_are_merged_by_name(self):
        directory = self.directory()
        base = self.write(os.path.join(directory, "base.yaml"), f"version: 1\nports: {{ web: {self.first}, db: {self.first + 1} }}\n")
        more = self.write(os.path.join(directory, "more.yaml"), f"ports: {{ web: {self.first + 2}, other: {self.first + 3} }}\n")
        supervisor = self.start(None, "--config", base, "--config", more, env={"XDG_RUNTIME_DIR": self.runtime})
        self.assertEqual(self.ports(supervisor), {"web": self.first + 2, "db": self.first + 1, "other": self.first + 3})

    def test_a_manifest_of_a_worker_has_no_ports(self):
        supervisor = self.begin()
        path = self.write(os.path.join(self.directory(), "worker.yaml"), "version: 1\nports: { web: auto }\ninitializers:\n  a: { command: x }\n")
        self.assertIn("ports", self.assertStatus(supervisor.ctl("worker", "--config", path), 65).err)


class CommandTests(PortCase):
    def test_port_prints_numbers(self):
        supervisor = self.begin(f"web: {self.first}, db: {self.first + 1}+")
        self.assertEqual(self.assertStatus(supervisor.ctl("port"), 0).out, f"db {self.first + 1}\nweb {self.first}\n")
        self.assertEqual(self.assertStatus(supervisor.ctl("port", "web"), 0).out, f"{self.first}\n")

    def test_an_unknown_name_is_64(self):
        supervisor = self.begin(f"web: {self.first}")
        done = self.assertStatus(supervisor.ctl("port", "wbe"), 64)
        self.assertEqual(done.out, "")
        self.assertIn('"wbe"', done.err)
        self.assertIn('did you mean "web"?', done.err)
        self.assertStatus(self.begin().ctl("port", "web"), 64)

    def test_without_ports_it_prints_nothing(self):
        done = self.assertStatus(self.begin().ctl("port"), 0)
        self.assertEqual(done.out, "")

    def test_status_has_them_as_json(self):
        supervisor = self.begin(f"web: {self.first}, db: auto")
        [status] = self.assertStatus(supervisor.ctl("status", "--json"), 0).json()
        self.assertEqual(status["ports"]["web"], self.first)
        self.assertEqual(list(status["ports"]), ["db", "web"])

    def test_who_only_observes_may_ask(self):
        directory = self.directory()
        second = os.path.join(directory, "observe")
        self.begin(f"web: {self.first}", "", "", "--observe-socket", second, directory=directory)
        until(lambda: os.path.exists(second), "the second socket")
        self.assertEqual(self.assertStatus(self.initctl("--socket", second, "port", "web"), 0).out, f"{self.first}\n")


class ReloadTests(PortCase):
    INITIALIZERS = """
        refers: { command: [sh, -c, 'echo "refers $1" >> ran', sh, '${ports.web}'] }
        inside: { command: 'echo "inside $V" >> ran', environment: { V: '${ports.web}' } }
        other: { command: [sh, -c, 'echo "other $1" >> ran', sh, '${ports.db}'] }
        plain: { command: 'echo plain >> ran' }
        """
    WORKERS = """
        web: { command: [sh, -c, 'echo "web $1" >> starts; exec sleep 600', sh, '${ports.web}'] }
        checked: { command: [sh, -c, 'echo checked >> starts; exec sleep 600'], environment: { V: '${ports.web}' } }
        still: { command: [sh, -c, 'echo "still $1" >> starts; exec sleep 600', sh, '${ports.db}'] }
        """

    def test_a_changed_entry_is_chosen_anew_and_what_refers_to_it_is_restarted_or_due_again(self):
        supervisor = self.begin(f"web: {self.first}+, db: {self.first + 50}+", self.INITIALIZERS, self.WORKERS)
        self.launched(supervisor)
        supervisor.until_lines("starts", 3)
        done = self.reload(supervisor, f"web: {self.first + 10}+, db: {self.first + 50}+", self.INITIALIZERS, self.WORKERS)
        self.assertEqual(sorted(done.out.splitlines()), sorted([
            "~ refers (environment: INITD_PORT_WEB)", "~ inside (environment: INITD_PORT_WEB)", "~ web (environment: INITD_PORT_WEB)",
            "~ checked (environment: INITD_PORT_WEB)", "= 3 unchanged",
        ]))
        self.launched(supervisor)
        self.assertEqual(self.ports(supervisor), {"web": self.first + 10, "db": self.first + 50})
        self.assertEqual(supervisor.lines("ran")[4:], [f"refers {self.first + 10}", f"inside {self.first + 10}"])
        self.assertEqual(sorted(supervisor.until_lines("starts", 5)[3:]), ["checked", f"web {self.first + 10}"])

    def test_without_a_change_nothing_is_chosen(self):
        supervisor = self.begin(f"web: {self.first}+, db: auto", self.INITIALIZERS, self.WORKERS)
        self.launched(supervisor)
        before = self.ports(supervisor)
        self.listen(self.first)
        done = self.reload(supervisor, f"db: auto, web: {self.first}+", self.INITIALIZERS, self.WORKERS)
        self.assertEqual(done.out, "= 7 unchanged\n")
        self.assertEqual(self.ports(supervisor), before)

    def test_a_dry_run_shows_it_and_chooses_nothing(self):
        supervisor = self.begin(f"web: {self.first}", "a: { command: ['true', '${ports.web}'] }")
        self.launched(supervisor)
        done = self.reload(supervisor, f"web: {self.first + 1}, new: auto", "a: { command: ['true', '${ports.web}'] }", words=["--dry-run"])
        self.assertEqual(done.out, "~ a (environment: INITD_PORT_WEB)\n= 0 unchanged\n")
        self.assertEqual(self.ports(supervisor), {"web": self.first})

    def test_a_new_name_is_chosen(self):
        supervisor = self.begin(f"web: {self.first}+", "a: { command: 'true' }")
        self.launched(supervisor)
        done = self.reload(supervisor, f"web: {self.first}+, db: {self.first}+", "a: { command: 'true' }\nb: { command: [sh, -c, 'echo $1 > seen', sh, '${ports.db}'] }")
        self.assertEqual(done.out, "+ b\n= 1 unchanged\n")
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("seen"), [str(self.first + 1)])
        self.assertEqual(self.ports(supervisor), {"web": self.first, "db": self.first + 1})

    def test_a_change_of_ports_alone_is_applied(self):
        """Nothing refers to them."""
        supervisor = self.begin(f"web: {self.first}+", "a: { command: 'true' }")
        self.launched(supervisor)
        self.assertEqual(self.reload(supervisor, f"web: {self.first + 3}+, db: {self.first}+", "a: { command: 'true' }").out, "= 1 unchanged\n")
        ports = self.ports(supervisor)
        self.assertEqual(ports["web"], self.first + 3)
        self.assertIn(ports["db"], [self.first, self.first + 1], "what it gives up may be free only afterwards")

    def test_a_removed_name_to_which_something_refers_is_a_mistake_and_changes_nothing(self):
        supervisor = self.begin(f"web: {self.first}+, db: auto", "a: { command: ['true', '${ports.web}'] }")
        self.launched(supervisor)
        before = self.ports(supervisor)
        done = self.reload(supervisor, "db: auto", "a: { command: ['true', '${ports.web}'] }", status=65)
        self.assertIn('unknown port "web"', done.err)
        self.assertEqual(self.ports(supervisor), before)

    def test_a_process_whose_ready_alone_refers_to_it_is_restarted_too(self):
        worker = "web: { command: [sh, -c, 'echo started >> starts; exec sleep 600'], ready: { tcp: \"127.0.0.1:${ports.web}\", every: 10ms, owner: any } }"
        supervisor = self.begin(f"web: {self.first}+", "", worker)
        peer = supervisor.peer()
        until(lambda: f"127.0.0.1:{self.first}" in peer.initializer("web").get("progress", {}).get("message", ""), "a failed check")
        self.assertEqual(self.reload(supervisor, f"web: {self.first + 1}+", "", worker).out, "~ web (environment: INITD_PORT_WEB)\n= 0 unchanged\n")
        self.listen(self.first + 1)
        self.launched(supervisor)
        self.assertEqual(len(supervisor.until_lines("starts", 2)), 2)

    def test_a_text_refers_to_it_by_its_variable(self):
        initializers = "a: { command: 'echo $INITD_PORT_WEB >> ran' }\nb: { command: 'echo b >> other' }"
        workers = "w: { command: 'echo $INITD_PORT_WEB >> starts; exec sleep 600' }\nother: { command: 'echo other >> others; exec sleep 600' }"
        supervisor = self.begin(f"web: {self.first}", initializers, workers)
        self.launched(supervisor)
        supervisor.until_lines("starts")
        supervisor.until_lines("others")
        done = self.reload(supervisor, f"web: {self.first + 1}", initializers, workers)
        self.assertEqual(sorted(done.out.splitlines()), ["= 2 unchanged", "~ a (environment: INITD_PORT_WEB)", "~ w (environment: INITD_PORT_WEB)"])
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), [str(self.first), str(self.first + 1)])
        self.assertEqual(supervisor.until_lines("starts", 2), [str(self.first), str(self.first + 1)])

    def test_a_text_with_a_longer_name_does_not_refer_to_it(self):
        workers = "w: { command: 'echo $INITD_PORT_WEB_ADMIN >> starts; exec sleep 600' }"
        supervisor = self.begin(f"web: {self.first}, web-admin: {self.first + 2}", "", workers)
        supervisor.until_lines("starts")
        self.assertEqual(self.reload(supervisor, f"web: {self.first + 1}, web-admin: {self.first + 2}", "", workers).out, "= 1 unchanged\n")

    def test_a_crossed_change_of_two_names_works(self):
        workers = "w: { command: [sh, -c, 'echo $1 $2 >> starts; exec sleep 600', sh, '${ports.a}', '${ports.b}'] }"
        supervisor = self.begin(f"a: {self.first}, b: {self.first + 1}", "", workers)
        supervisor.until_lines("starts")
        self.reload(supervisor, f"a: {self.first + 1}, b: {self.first}", "", workers)
        self.assertEqual(supervisor.until_lines("starts", 2), [f"{self.first} {self.first + 1}", f"{self.first + 1} {self.first}"])

    def test_a_process_that_listens_moves(self):
        worker = f"web: {{ command: [{sys.executable}, -c, \"{SERVER_LINE}\", '${{ports.web}}'], ready: {{ tcp: \"127.0.0.1:${{ports.web}}\", every: 10ms }} }}"
        supervisor = self.begin(f"web: {self.first}", "", worker)
        self.launched(supervisor)
        self.assertEqual(self.reload(supervisor, f"web: {self.first + 1}", "", worker).out, "~ web (environment: INITD_PORT_WEB)\n= 0 unchanged\n")

        def moved():
            try:
                socket.create_connection(("127.0.0.1", self.first + 1)).close()
            except OSError:
                return False
            return True

        until(moved, "a server at the new port")
        self.launched(supervisor)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", self.first))


if __name__ == "__main__":
    import unittest

    unittest.main()
