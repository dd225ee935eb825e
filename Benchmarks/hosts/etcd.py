"""etcd's own protocol with grpc.aio: one HTTP/2 connection for each host, which its calls and streams share, as in `initfleet agent`."""

import asyncio
import contextlib
import importlib
import pathlib
import sys
import tempfile

try:
    import grpc
    from google.protobuf import json_format
    from grpc_tools import protoc
except ImportError:
    raise SystemExit("cannot measure a fleet: Python has no gRPC; run pip install grpcio grpcio-tools, e.g. in a venv") from None

PATIENCE = 3
"""How many seconds the agent waits for an answer."""

PROTOCOL = pathlib.Path(__file__).parents[2] / "companions/fleet/Protocol/etcd.proto"


def generated():
    """The messages of the protocol, as a module."""
    with tempfile.TemporaryDirectory() as directory:
        if protoc.main(["protoc", f"-I{PROTOCOL.parent}", f"--python_out={directory}", str(PROTOCOL)]):
            raise SystemExit(f"cannot measure a fleet: {PROTOCOL} cannot be compiled")
        sys.path.insert(0, directory)
        try:
            return importlib.import_module("etcd_pb2")
        finally:
            sys.path.remove(directory)


MESSAGES = generated()
TRANSIENT = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)


class Unreachable(Exception):
    """No answer came: the connection failed, or the time was up. The request may have been executed."""


class Refused(Exception):
    """etcd answered with an error."""


def message(name, body):
    """A message from a dictionary, whose bytes are in base64."""
    return json_format.ParseDict(body, getattr(MESSAGES, name)())


def dictionary(answer):
    """A dictionary from a message."""
    return json_format.MessageToDict(answer, preserving_proto_field_name=True)


def names(method):
    """The path of a method, and the names of its messages, e.g. of `KV/Txn`."""
    name = method.split("/")[1]
    return f"/etcdserverpb.{method}", f"{name}Request", getattr(MESSAGES, f"{name}Response").FromString


@contextlib.contextmanager
def failures():
    try:
        yield
    except grpc.aio.AioRpcError as error:
        raise (Unreachable if error.code() in TRANSIENT else Refused)(error.details()) from None
    except (TimeoutError, asyncio.InvalidStateError) as error:
        raise Unreachable(str(error)) from None


class Client:
    """The connection of one host."""

    def __init__(self, port, opened):
        # Otherwise the hosts would share one connection.
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options)
        self.renewals = None
        opened()

    async def exchange(self, method, body):
        """The answer. Raises `Unreachable` or `Refused`."""
        path, request, read = names(method)
        call = self.channel.unary_unary(path, lambda each: each.SerializeToString(), read)
        with failures():
            return dictionary(await call(message(request, body), timeout=PATIENCE))

    async def renew(self, lease):
        """The seconds for which a lease lasts; all renewals share one stream. Raises `Unreachable` or `Refused`."""
        request = MESSAGES.LeaseKeepAliveRequest(ID=int(lease))
        try:
            with failures():
                if self.renewals is None:
                    self.renewals = self.stream("Lease/LeaseKeepAlive")
                async with asyncio.timeout(PATIENCE):
                    await self.renewals.write(request)
                    answer = await self.renewals.read()
                if answer is grpc.aio.EOF:
                    raise Unreachable("the stream has ended")
                return answer.TTL
        except (Unreachable, Refused):
            if self.renewals:
                self.renewals.cancel()
            self.renewals = None
            raise

    def stream(self, method):
        path, _, read = names(method)
        return self.channel.stream_stream(path, lambda each: each.SerializeToString(), read)()


class Watch:
    """A stream of changes. `on_events` gets a list, and `on_end` is called when it has ended."""

    def __init__(self, on_events, on_end):
        self.on_events, self.on_end = on_events, on_end
        self.call = self.task = None

    async def open(self, client, body):
        with failures():
            self.call = client.stream("Watch/Watch")
            async with asyncio.timeout(PATIENCE * 10):
                await self.call.write(message("WatchRequest", body))
                while not (await self.call.read()).created:
                    pass
        self.task = asyncio.get_running_loop().create_task(self._take())

    async def _take(self):
        with contextlib.suppress(grpc.aio.AioRpcError):
            while (answer := await self.call.read()) is not grpc.aio.EOF:
                if answer.events:
                    self.on_events(dictionary(answer).get("events", []))
        if self.on_end:
            self.on_end()

    def close(self):
        """Ends the process; nothing is called any more."""
        self.on_events, self.on_end = lambda _: None, None
        self.call.cancel()
