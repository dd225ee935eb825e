"""initfleet with an etcd that has users and roles, and with one that only answers clients with a certificate."""

import base64
import json
import os
import shutil
import signal
import ssl
import subprocess
import unittest
import urllib.error
import urllib.request

from deadlines import until
from fleet import HEAD, INITFLEET, MIGRATE, Fleet, free_port, text64

PASSWORD = 'pass "word"\\'
# The time in the log of an agent.
TIME = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
GATED = "gate: { command: 'until [ -e $GATE ]; do sleep 0.02; done' }\n" + MIGRATE.replace("once: fleet", "once: fleet\n  dependencies: [gate]")


class Access(Fleet):
    """A fleet whose agents have options of their own."""

    tls = None
    # The token of etcd's root; None without users.
    root = None

    def ask(self, path, token=None, **body):
        """Calls etcd's API as an administrator."""
        url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/v3{path}"
        headers = {"Authorization": token} if token else {}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=10, context=self.tls) as answer:
            return json.load(answer)

    def enable_users(self):
        """The commands of the guide: the user shop may only use the keys of the fleet shop."""
        self.ask("/auth/user/add", name="root", password="root")
        self.ask("/auth/role/add", name="root")
        self.ask("/auth/user/grant", user="root", role="root")
        self.ask("/auth/role/add", name="shop")
        permission = {"permType": "READWRITE", "key": text64("/initfleet/shop "), "range_end": text64("/initfleet/shop!")}
        self.ask("/auth/role/grant", name="shop", perm=permission)
        self.ask("/auth/user/add", name="shop", password=PASSWORD)
        self.ask("/auth/user/grant", user="shop", role="shop")
        self.ask("/auth/enable")
        self.root = self.ask("/auth/authenticate", name="root", password="root")["token"]

    def password_file(self, text=PASSWORD + "\n", mode=0o600):
        path = self.write(self.directory() + "/password", text)
        os.chmod(path, mode)
        return path

    def start_agent(self, supervisor, name, *words, env=None, fleet="shop", lease="4s"):
        url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"
        words = ["--etcd", url, "--fleet", fleet, "--host", name, "--lease", lease, "--socket", supervisor.path, *words]
        return self.program([INITFLEET, "agent", *words], env=env)

    def as_shop(self):
        return ["--user", "shop", "--password-file", self.password_file()]

    def agent_alone(self, *words, **options):
        """An agent that ends without a signal."""
        return self.start_agent(self.start(self.manifest()), "a", *words, **options).finish()


class UserTests(Access):
    def setUp(self):
        super().setUp()
        self.enable_users()

    def test_hosts_of_a_restricted_user_run_it_once(self):
        first, second = self.host("a", agent=False), self.host("b", agent=False)
        self.start_agent(first, "a", *self.as_shop())
        self.start_agent(second, "b", "--user", "shop", env={"INITFLEET_PASSWORD": PASSWORD})
        self.assertEqual((self.launched(first), self.launched(second)), ("complete", "complete"))
        self.assertEqual(len([line for line in self.lines() if line.startswith("start")]), 1)

    def test_a_wrong_password_is_told_in_one_line(self):
        ended = self.agent_alone("--user", "shop", "--password-file", self.password_file("wrong\n"))
        self.assertEqual((ended.status, ended.out), (77, ""), ended)
        self.assertRegex(
            ended.err,
            rf'\A{TIME} initfleet: error: etcd refused: the user "shop" doesn\'t exist, or the password is wrong; '
            r"check --user, and the password in --password-file or INITFLEET_PASSWORD\n\Z",
        )

    def test_without_a_user_it_is_told_that_etcd_requires_one(self):
        ended = self.agent_alone()
        self.assertEqual(ended.status, 77, ended)
        self.assertIn("it requires a user; check --user", ended.err)

    def test_the_keys_of_other_fleets_are_denied_even_if_their_names_begin_like_this_one(self):
        for fleet in ("other", "shop2", "sho"):
            ended = self.agent_alone(*self.as_shop(), fleet=fleet)
            self.assertEqual(ended.status, 77, ended)
            self.assertIn('permission denied; grant a role of --user readwrite for the prefix "PREFIX/FLEET "', ended.err)

    def test_a_role_that_can_only_read_is_denied(self):
        permission = {"permType": "READ", "key": text64("/initfleet/shop "), "range_end": text64("/initfleet/shop!")}
        self.ask("/auth/role/grant", self.root, name="shop", perm=permission)
        self.assertEqual(self.agent_alone(*self.as_shop()).status, 77)

    def test_another_fleet_can_only_see_and_renew_the_leases_as_the_guide_says(self):
        if " 3.4." not in self.program(["etcd", "--version"]).finish().out:
            self.skipTest("later versions protect leases more")
        self.ask("/auth/role/add", self.root, name="other")
        permission = {"permType": "READWRITE", "key": text64("/initfleet/other "), "range_end": text64("/initfleet/other!")}
        self.ask("/auth/role/grant", self.root, name="other", perm=permission)
        self.ask("/auth/user/add", self.root, name="other", password="other")
        self.ask("/auth/user/grant", self.root, user="other", role="other")
        other = self.ask("/auth/authenticate", name="other", password="other")["token"]
        self.start_agent(self.host("a", agent=False, sleep="30"), "a", *self.as_shop())
        until(self.lines, "the start")
        key = text64("/initfleet/shop once v1 migrate claim")
        claim = self.ask("/kv/range", self.root, key=key)["kvs"][0]
        for token in (other, None):
            self.assertIn({"ID": claim["lease"]}, self.ask("/lease/leases", token)["leases"])
            self.assertIn(key, self.ask("/lease/timetolive", token, ID=claim["lease"], keys=True)["keys"])
            self.assertGreater(int(self.ask("/lease/keepalive", token, ID=claim["lease"])["result"]["TTL"]), 0)
            for path, body in (
                ("/lease/revoke", {"ID": claim["lease"]}), ("/kv/range", {"key": key}), ("/kv/put", {"key": key}), ("/kv/deleterange", {"key": key}),
                ("/kv/put", {"key": text64("/initfleet/other x"), "lease": claim["lease"]}),
            ):
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    self.ask(path, token, **body)
                refused.exception.close()
                self.assertIn(refused.exception.code, (400, 403))
            empty = self.ask("/lease/grant", TTL=60)["ID"]
            self.ask("/lease/revoke", token, ID=empty)

    def test_a_run_continues_although_etcd_has_forgotten_the_token(self):
        first, second = self.host("a", agent=False, sleep="1"), self.host("b", agent=False)
        self.start_agent(first, "a", *self.as_shop(), lease="20s")
        until(self.lines, "the start")
        os.kill(self.etcd.pid, signal.SIGKILL)
        self.etcd.process.wait()
        self.start_etcd()
        self.start_agent(second, "b", *self.as_shop())
        self.assertEqual((self.launched(first), self.launched(second)), ("complete", "complete"))
        self.assertEqual(len([line for line in self.lines() if line.startswith("start")]), 1)

    def test_an_agent_that_loses_its_role_says_so_and_continues_when_it_has_it_again(self):
        gate = self.directory() + "/gate"
        host = self.start(self.manifest(GATED, head=HEAD), env={"HOST": "a", "LOG": self.log, "SLEEP": "0", "GATE": gate})
        agent = self.start_agent(host, "a", *self.as_shop())
        until(lambda: self.ask("/kv/range", self.root, key=text64("/initfleet/shop host a")).get("kvs"), "the agent")
        self.ask("/auth/user/revoke", self.root, name="shop", role="shop")
        self.write(gate, "")
        peer = host.peer()
        until(lambda: "permission denied; grant" in peer.initializer("migrate").get("progress", {}).get("message", ""), "the reason")
        agent.until_err("initfleet: warning: etcd refused: permission denied; grant a role of --user readwrite")
        self.ask("/auth/user/grant", self.root, user="shop", role="shop")
        self.assertEqual(self.launched(host), "complete")
        agent.until_err("initfleet: etcd allows access again\n")
        self.assertEqual(agent.err.decode().count("permission denied"), 1)

    def test_a_completion_that_is_denied_is_recorded_when_the_role_is_back(self):
        gate = self.directory() + "/gate"
        work = MIGRATE.replace("sleep $SLEEP;", 'until [ -e "$GATE" ]; do sleep 0.02; done;')
        host = self.start(self.manifest(work, head=HEAD), env={"HOST": "a", "LOG": self.log, "GATE": gate})
        agent = self.start_agent(host, "a", *self.as_shop(), lease="60s")
        until(self.lines, "the start")
        self.ask("/auth/user/revoke", self.root, name="shop", role="shop")
        self.write(gate, "")
        agent.until_err("migrate of release v1 is done; waiting for etcd to record it: etcd refused: permission denied; grant a role")
        self.ask("/auth/user/grant", self.root, user="shop", role="shop")
        self.assertEqual(self.launched(host), "complete")
        self.assertEqual(len([line for line in self.lines() if line.startswith("start")]), 1)

    def shown(self):
        """The hosts that count, as the user sees them."""
        shown = self.initfleet("status", "--json", *self.as_shop())
        return [each["host"] for each in json.loads(shown.out)["hosts"]] if shown.status == 0 else None

    def test_a_host_whose_agent_loses_its_role_leaves_the_fleet_with_its_lease(self):
        """The role of the commands is another one."""
        self.ask("/auth/user/add", self.root, name="agents", password="agents")
        self.ask("/auth/user/grant", self.root, user="agents", role="shop")
        work = "serve: { command: 'true' }\n"
        quiet, busy = (self.host(name, work, agent=False) for name in ("quiet", "busy"))
        for name, host in (("quiet", quiet), ("busy", busy)):
            self.start_agent(host, name, "--user", "agents", env={"INITFLEET_PASSWORD": "agents"}, lease="10s")
            host.peer().ok("activate")
        self.assertStatus(self.initfleet("wait", "ready", "--count", "2", *self.as_shop(), "--timeout", "30s"), 0)
        self.ask("/auth/user/revoke", self.root, name="agents", role="shop")
        # The states of the other one don't change.
        busy.peer().ok("deactivate")
        until(lambda: self.shown() == [], "the end of both records", 60)
        self.assertStatus(self.initfleet("wait", "ready", "--count", "1", *self.as_shop(), "--timeout", "0.5s"), 124)
        self.ask("/auth/user/grant", self.root, user="agents", role="shop")
        until(lambda: self.shown() == ["busy", "quiet"], "both records", 60)

    def test_a_candidate_that_loses_its_role_says_so_when_it_campaigns_again(self):
        host = self.host("a", agent=False)
        words = ["lead", "billing", "--host", "a", "--lease", "4s", "--socket", host.path, *self.as_shop()]
        candidate = self.start_initfleet(*words)
        candidate.until_err("a leads billing")
        self.ask("/auth/user/revoke", self.root, name="shop", role="shop")
        host.peer().ok("deactivate")
        candidate.until_err("initfleet: warning: etcd refused: permission denied; grant a role of --user readwrite")
        self.ask("/auth/user/grant", self.root, user="shop", role="shop")
        candidate.until_err("initfleet: etcd allows access again\n")
        until(lambda: candidate.err.decode().count("a leads billing") == 2 or candidate.pump(), "the second leadership")


class PasswordTests(Access):
    def test_a_user_is_also_possible_before_etcd_has_users(self):
        host = self.host("a", agent=False)
        self.start_agent(host, "a", *self.as_shop())
        self.assertEqual(self.launched(host), "complete")

    def test_a_password_file_that_cannot_be_used_is_told(self):
        for path, why in (
            (self.password_file(mode=0o644), "other users can read or write it; change its mode (chmod o-rw)"),
            (self.password_file(mode=0o602), "other users can read or write it; change its mode (chmod o-rw)"),
            (self.directory() + "/none", "No such file or directory"), (self.directory(), "it is a directory; give a regular file"),
            (self.password_file(""), "it must contain one line"), (self.password_file("a\nb\n"), "it must contain one line"),
            (self.password_file("a" * 5000), "it must contain one line"),
        ):
            ended = self.agent_alone("--user", "shop", "--password-file", path)
            self.assertEqual(ended.status, 66, ended)
            self.assertIn(f"cannot use the password file {path}: {why}", ended.err)

    def test_the_file_may_be_a_link_and_readable_for_a_group(self):
        link = self.directory() + "/link"
        os.symlink(self.password_file(mode=0o640), link)
        host = self.host("a", agent=False)
        self.start_agent(host, "a", "--user", "shop", "--password-file", link)
        self.assertEqual(self.launched(host), "complete")

    def test_wrong_usage_is_told(self):
        for words, why in (
            (["--user", "shop"], "no password for --user: give --password-file FILE, or set INITFLEET_PASSWORD"),
            (["--password-file", self.password_file()], "--password-file has no effect without a user; give --user NAME"),
        ):
            ended = self.agent_alone(*words)
            self.assertEqual(ended.status, 64, ended)
            self.assertIn(why, ended.err)


@unittest.skipUnless(shutil.which("openssl"), "openssl isn't installed")
class CertificateTests(Access):
    """etcd only answers clients with a certificate of its authority."""

    def setUp(self):
        self.tls = None
        super().setUp()

    def start_etcd(self, *options):
        if not self.tls:
            self.authority("ca")
            self.certificate("server", "ca", "IP:127.0.0.1", "/CN=server")
            self.certificate("client", "ca", "DNS:client")
        file = self.etcd_directory + "/"
        self.tls = ssl.create_default_context(cafile=file + "ca.pem")
        self.tls.load_cert_chain(file + "client.pem", file + "client.key")
        url, peers = f"https://127.0.0.1:{self.port}", f"http://127.0.0.1:{free_port()}"
        words = ["etcd", "--name", "e", "--data-dir", file + "data", "--listen-client-urls", url, "--advertise-client-urls", url]
        words += ["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", f"e={peers}"]
        words += ["--cert-file", file + "server.pem", "--key-file", file + "server.key"]
        words += ["--client-cert-auth", "--trusted-ca-file", file + "ca.pem"]
        self.etcd = self.program([*words, "--log-level", "error", *options])

        def answers():
            try:
                return urllib.request.urlopen(url + "/health", timeout=1, context=self.tls).status == 200
            except OSError:
                return False

        until(answers, "etcd")

    def kill_etcd(self):
        os.kill(self.etcd.pid, signal.SIGKILL)
        self.etcd.process.wait()

    def openssl(self, *words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=self.etcd_directory)

    def request(self, name, subject):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", name + ".key", "-subj", subject]

    def authority(self, name):
        self.openssl("req", "-x509", *self.request(name, "/CN=" + name), "-out", name + ".pem", "-days", "2")

    def certificate(self, name, authority, alternative, subject=None):
        self.openssl("req", *self.request(name, subject or "/O=" + name), "-out", name + ".csr")
        # etcd's gateway is itself a client of etcd, with the server's certificate.
        extensions = self.write(self.etcd_directory + "/extensions", f"subjectAltName={alternative}\nextendedKeyUsage=serverAuth,clientAuth\n")
        signed = ["-CA", authority + ".pem", "-CAkey", authority + ".key", "-CAcreateserial", "-extfile", extensions]
        self.openssl("x509", "-req", "-in", name + ".csr", *signed, "-out", name + ".pem", "-days", "2")

    def options(self, authority="ca", client="client"):
        file = self.etcd_directory + "/"
        words = ["--cacert", file + authority + ".pem"]
        return [*words, "--cert", file + client + ".pem", "--key", file + client + ".key"] if client else words

    def test_hosts_with_certificates_run_it_once(self):
        first, second = self.host("a", agent=False), self.host("b", agent=False)
        self.start_agent(first, "a", *self.options())
        self.start_agent(second, "b", *self.options())
        self.assertEqual((self.launched(first), self.launched(second)), ("complete", "complete"))
        self.assertEqual(len([line for line in self.lines() if line.startswith("start")]), 1)

    def test_the_files_and_the_user_may_be_named_in_the_environment(self):
        self.enable_users()
        words, user = self.options(), self.as_shop()
        env = {"INITFLEET_CACERT": words[1], "INITFLEET_CERT": words[3], "INITFLEET_KEY": words[5], "INITFLEET_USER": "shop", "INITFLEET_HOST": "named"}
        host = self.host("a", agent=False)
        words = [INITFLEET, "agent", "--etcd", f"https://127.0.0.1:{self.port}", "--fleet", "shop", "--socket", host.path, *user[2:]]
        self.program(words, env=env)
        self.assertEqual(self.launched(host), "complete")
        done = self.ask("/kv/range", self.root, key=text64("/initfleet/shop once v1 migrate done"))["kvs"][0]["value"]
        self.assertIn('"host":"named"', base64.b64decode(done).decode())

    def test_renewed_certificates_are_used_without_a_restart(self):
        host = self.host("a", agent=False)
        self.start_agent(host, "a", *self.options(), lease="60s")
        self.assertEqual(self.launched(host), "complete")
        self.kill_etcd()
        # Another authority, with other certificates, in the same files.
        self.tls = None
        self.start_etcd()
        host.peer().ok("activate")
        until(lambda: self.record("a").get("lifecycle") == "active", "a record after that")

    def test_agents_and_candidates_that_run_when_users_are_enabled_go_on(self):
        """Without a token, etcd takes the common name of a certificate for the user: that doesn't exist, or there is no name."""
        self.certificate("named", "ca", "DNS:named", "/CN=named")
        hosts = {}
        for client in ("client", "named"):
            hosts[client] = host = self.host(client, agent=False)
            host.agent = self.start_agent(host, client, *self.options(client=client), *self.as_shop())
            self.assertEqual(self.launched(host), "complete")
        words = ["--etcd", f"https://127.0.0.1:{self.port}", *self.options(client="named"), *self.as_shop()]
        leader = self.host("lead", agent=False)
        candidate = self.start_initfleet("lead", "billing", "--host", "lead", "--lease", "4s", "--socket", leader.path, *words)
        candidate.until_err("lead leads billing")
        self.enable_users()
        for client, host in hosts.items():
            host.peer().ok("activate")
            until(lambda: self.record(client).get("lifecycle") == "active", "a record after that")
        # The next release.
        for host in hosts.values():
            self.write(host.manifest, self.manifest(MIGRATE, head=HEAD.replace("v1", "v2")))
            host.peer().ok("reload")
        for client, host in hosts.items():
            until(lambda: self.record(client).get("release") == "v2" and self.record(client)["composite"]["state"] == "complete", "the next release")
        self.assertEqual(len([line for line in self.lines() if line.startswith("start")]), 2)
        # The watch of its orders began before.
        self.assertStatus(self.initfleet("deactivate", "--timeout", "30s", *words), 0)
        leader.peer().ok("deactivate")
        until(lambda: candidate.err.decode().count("lead leads billing") == 2 or candidate.pump(), "the second leadership")
        for program in (candidate, *(host.agent for host in hosts.values())):
            program.pump()
            self.assertNotIn("denied", program.err.decode())

    def record(self, host):
        """The record of a host in etcd with users."""
        found = self.ask("/kv/range", self.root, key=text64(f"/initfleet/shop host {host}")).get("kvs")
        return json.loads(base64.b64decode(found[0]["value"])) if found else {}

    def test_with_a_certificate_the_role_is_still_that_of_the_user(self):
        self.enable_users()
        ended = self.agent_alone(*self.options())
        self.assertEqual(ended.status, 77, ended)
        host = self.host("a", agent=False)
        self.start_agent(host, "a", *self.options(), *self.as_shop())
        self.assertEqual(self.launched(host), "complete")

    def test_a_certificate_with_a_common_name_is_as_good_if_etcd_has_users(self):
        self.enable_users()
        self.certificate("named", "ca", "DNS:named", "/CN=named")
        host = self.host("a", agent=False)
        self.start_agent(host, "a", *self.options(client="named"), *self.as_shop())
        self.assertEqual(self.launched(host), "complete")

    def test_files_that_cannot_be_used_are_told(self):
        for name in ("cacert", "cert", "key"):
            words = dict(zip(("--cacert", "--cert", "--key"), self.options()[1::2]), **{"--" + name: self.etcd_directory + "/none"})
            ended = self.agent_alone(*[word for pair in words.items() for word in pair])
            self.assertEqual(ended.status, 66, ended)
            self.assertIn(f"cannot use the file of --{name}", ended.err)

    def test_a_certificate_that_is_refused_ends_it_at_its_start_with_the_status_of_a_denial(self):
        self.authority("other")
        self.certificate("stranger", "other", "DNS:stranger")
        refused, untrusted = "it doesn't accept this client's certificate; check --cert and --key", "its certificate isn't trusted; check --cacert"
        for words, why in ((self.options(client=None), refused), (self.options(client="stranger"), refused), (self.options(authority="other"), untrusted)):
            ended = self.agent_alone(*words)
            self.assertEqual(ended.status, 77, ended)
            self.assertRegex(ended.err, rf"\A{TIME} initfleet: error: etcd can't be reached: https://127.0.0.1:{self.port}: {why}[^\n]*\n\Z")
            for command in (["status"], ["wait", "--timeout", "30s"], ["activate"], ["forget", "v1"], ["watch"]):
                ended = self.initfleet(*command, *words, "--etcd", f"https://127.0.0.1:{self.port}")
                self.assertEqual(ended.status, 77, ended)
                self.assertIn(why, ended.err)

    def test_a_member_whose_certificate_is_refused_is_passed_over(self):
        self.kill_etcd()
        self.start_etcd("--listen-client-urls", f"https://0.0.0.0:{self.port}")
        down = f"https://127.0.0.1:{free_port()}"
        here = f"https://127.0.0.1:{self.port}"
        # This address isn't in the certificate.
        misnamed = f"https://127.0.0.2:{self.port}"
        for _ in range(4):
            self.assertStatus(self.initfleet("status", *self.options(), "--etcd", f"{misnamed},{here}"), 0)
            # etcd may only be down.
            self.assertStatus(self.initfleet("status", *self.options(), "--etcd", f"{misnamed},{down}"), 69)
        self.assertStatus(self.initfleet("status", *self.options(), "--etcd", misnamed), 77)

    def test_a_name_in_a_certificate_that_is_no_user_is_denied(self):
        self.enable_users()
        self.certificate("named", "ca", "DNS:named", "/CN=named")
        ended = self.initfleet("status", *self.options(client="named"), "--etcd", f"https://127.0.0.1:{self.port}")
        self.assertEqual(ended.status, 77, ended)

    def test_a_name_that_etcd_does_not_allow_is_denied(self):
        self.kill_etcd()
        self.certificate("named", "ca", "DNS:named", "/CN=named")
        self.start_etcd("--client-cert-allowed-hostname", "client")
        self.assertStatus(self.initfleet("status", *self.options(), "--etcd", f"https://127.0.0.1:{self.port}"), 0)
        ended = self.initfleet("status", *self.options(client="named"), "--etcd", f"https://127.0.0.1:{self.port}")
        self.assertEqual(ended.status, 77, ended)


if __name__ == "__main__":
    unittest.main()
