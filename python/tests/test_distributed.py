"""Groups of processes: who may join, what is read of strangers, limits of time, and the same bits everywhere."""

import datetime
import os
import pickle
import socket
import struct
import tempfile
import threading
import time
import unittest

import rushlight as torch
from rushlight import distributed as dist
from rushlight.distributed import _mesh, _secret, _sockets, _table, _tcp_store


def seconds(count):
    return datetime.timedelta(seconds=count)


class Environment:
    """Variables of the environment, as long as the ``with`` lasts."""

    def __init__(self, **values):
        self.values = values

    def __enter__(self):
        self.before = {name: os.environ.get(name) for name in self.values}
        self._set(self.values)

    def __exit__(self, *_):
        self._set(self.before)

    @staticmethod
    def _set(values):
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def members(count, body, store=None, wait=seconds(20)):
    """Runs ``body(rank)`` in forked processes of one group: what each returns, in the order of ranks."""
    folder = tempfile.mkdtemp()
    pids = []
    for rank in range(count):
        pid = os.fork()
        if pid == 0:
            try:
                dist.init_process_group(
                    "gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=count, timeout=wait
                )
                found = body(rank)
            except BaseException as error:  # noqa: BLE001  told to the parent
                found = error
            with open(f"{folder}/{rank}", "wb") as file:
                pickle.dump(found, file)
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
    found = []
    for rank in range(count):
        with open(f"{folder}/{rank}", "rb") as file:
            found.append(pickle.load(file))
    return found


class Secrets(unittest.TestCase):
    def test_a_stranger_is_not_served(self):
        store = dist.TCPStore("127.0.0.1", 0, 1, True, seconds(5))
        for sent in (b"", b"GET / HTTP/1.0\r\n\r\n", os.urandom(_secret.ANSWER), b"\xff" * 4096):
            with socket.create_connection(("127.0.0.1", store.port), 5) as sock:
                sock.settimeout(3)
                self.assertEqual(len(sock.recv(_secret.HELLO)), _secret.HELLO)
                sock.sendall(sent)
                if len(sent) >= _secret.ANSWER:
                    try:
                        self.assertEqual(sock.recv(1), b"")
                    except ConnectionResetError:
                        pass
        store.set("a", "b")
        self.assertEqual(store.get("a"), b"b")

    def test_strangers_that_stay_cost_nothing(self):
        store = dist.TCPStore("127.0.0.1", 0, 1, True, seconds(5))
        before = threading.active_count()
        waiting = [socket.create_connection(("127.0.0.1", store.port), 5) for _ in range(_sockets.STRANGERS + 20)]
        store.set("a", "b")
        self.assertEqual(store.get("a"), b"b")
        self.assertLessEqual(threading.active_count(), before)
        for sock in waiting:
            sock.close()

    def test_another_secret_is_refused(self):
        with Environment(RUSHLIGHT_RPC_SECRET="a secret of one job"):
            store = dist.TCPStore("127.0.0.1", 0, 1, True, seconds(5))
        with Environment(RUSHLIGHT_RPC_SECRET="a secret of another job"), self.assertRaises(dist.DistNetworkError):
            dist.TCPStore("127.0.0.1", store.port, None, False, seconds(0.5))
        with Environment(RUSHLIGHT_RPC_SECRET="a secret of one job"):
            other = dist.TCPStore("127.0.0.1", store.port, None, False, seconds(5))
        other.set("a", "b")
        self.assertEqual(store.get("a"), b"b")

    def test_short_secrets_and_open_places_are_refused(self):
        with Environment(RUSHLIGHT_RPC_SECRET="short"), self.assertRaises(ValueError):
            dist.TCPStore("127.0.0.1", 0, 1, True, seconds(1))
        with Environment(RUSHLIGHT_RPC_SECRET=None, RUSHLIGHT_RPC_SECRET_FILE=None):
            with self.assertRaisesRegex(RuntimeError, "RUSHLIGHT_RPC_SECRET"):
                dist.TCPStore("0.0.0.0", 0, 1, True, seconds(1))
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"0123456789abcdef")
            file.flush()
            os.chmod(file.name, 0o644)
            with Environment(RUSHLIGHT_RPC_SECRET=None, RUSHLIGHT_RPC_SECRET_FILE=file.name), self.assertRaises(PermissionError):
                dist.TCPStore("127.0.0.1", 0, 1, True, seconds(1))

    def test_a_published_secret_goes_with_its_store(self):
        with Environment(RUSHLIGHT_RPC_SECRET=None, RUSHLIGHT_RPC_SECRET_FILE=None):
            store = dist.TCPStore("127.0.0.1", 0, 1, True, seconds(5))
            self.assertEqual(_secret.published(store.port), store._server.door.secret)
            port = store.port
            del store
            self.assertIsNone(_secret.published(port))

    def test_a_recorded_proof_is_worth_nothing(self):
        secret, (greeting, nonce) = b"s" * 32, _secret.hello()
        answer, proof = _secret.answer(secret, greeting, b"stor", 0, 3)
        self.assertEqual(_secret.admit(secret, nonce, answer), ((b"stor", 0, 3), proof))
        self.assertIsNone(_secret.admit(secret, _secret.hello()[1], answer))
        self.assertIsNone(_secret.admit(b"t" * 32, nonce, answer))

    def test_the_file_of_a_store_is_this_users_alone(self):
        path = os.path.join(tempfile.mkdtemp(), "store")
        with open(path, "w"):
            os.chmod(path, 0o644)
        store = dist.FileStore(path, 1)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        store.set("a", "b")
        del store
        self.assertFalse(os.path.exists(path))

    def test_loopback_means_loopback(self):
        store = dist.TCPStore("localhost", 0, 1, True, seconds(5))
        self.assertTrue(_sockets.is_loopback(store._server.door.listener.getsockname()[0]))
        for address, expected in (("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("10.0.0.1", False), ("x", False)):
            self.assertEqual(_sockets.is_loopback(address), expected)


class Bounds(unittest.TestCase):
    def test_requests_of_a_store_are_bounded(self):
        store = dist.TCPStore("127.0.0.1", 0, 1, True, seconds(5))
        with self.assertRaises(ValueError):
            store.set("a", b"x" * (_tcp_store._LARGEST + 1))
        secret = store._server.door.secret
        for request in (
            _tcp_store._HEAD.pack(0, 0, 0xFFFFFFFF),
            _tcp_store._HEAD.pack(0, 0, 8) + struct.pack("!II", 0xFFFFFFFF, 0xFFFFFFFF),
            _tcp_store._HEAD.pack(200, 0, 4) + struct.pack("!I", 0),
            _tcp_store._HEAD.pack(2, 0, 4) + struct.pack("!I", 0),
        ):
            with socket.create_connection(("127.0.0.1", store.port), 5) as sock:
                _sockets.introduce(sock, secret, b"stor", 0, 0, time.monotonic() + 5)
                sock.sendall(request)
                sock.settimeout(5)
                sock.recv(64)
        store.set("a", "b")
        self.assertEqual(store.get("a"), b"b")

    def test_frames_are_bounded(self):
        table = dist.HashStore()
        store = dist.PrefixStore("m", table)
        secret = b"s" * 32
        table.set_timeout(seconds(5))
        found = []

        def other():
            host, port = store.get("address/0").decode().rsplit(" ", 1)
            sock = socket.create_connection((host, int(port)), 5)
            _sockets.introduce(sock, secret, b"mesh", 2, 1, time.monotonic() + 5)
            sock.sendall(_mesh._HEAD.pack(1, 1, _mesh.PIECE + 1))
            sock.settimeout(5)
            found.append(sock.recv(1))
            sock.close()

        thread = threading.Thread(target=other)
        thread.start()
        mesh = _mesh.Mesh(store, 0, 2, "127.0.0.1", secret, time.monotonic() + 5)
        with self.assertRaisesRegex(RuntimeError, "of 16777216 at most"):
            mesh.await_slots([mesh.post(1, 1, 1)], time.monotonic() + 5)
        thread.join()
        self.assertEqual(found, [b""])
        mesh.close()

    def test_queues_and_numbers(self):
        table = _table.Table()
        table.values["a"] = b"no number"
        with self.assertRaises(ValueError):
            table.add("a", 1)

    def test_time_is_up(self):
        begun = time.monotonic()

        def alone(rank):
            if rank == 1:
                time.sleep(1.5)
                return None
            first = time.monotonic()
            try:
                dist.recv(torch.zeros(1), 1)
            except RuntimeError as error:
                return str(error), time.monotonic() - first < 1.4
            return None

        found = members(2, alone, wait=seconds(1))
        self.assertEqual(found[0], ("Timed out waiting 1000ms for recv operation to complete", True))
        self.assertLess(time.monotonic() - begun, 10)

    def test_different_sizes_are_told(self):
        def body(rank):
            try:
                dist.all_reduce(torch.ones(2 + rank))
            except RuntimeError as error:
                return str(error)
            return None

        found = members(2, body)
        self.assertTrue(all(text and ("received" in text or "Connection closed" in text) for text in found), found)

    def test_an_object_without_the_proof_is_not_read(self):
        def body(rank):
            if rank == 1:
                dist.group.WORLD._mesh.door.secret = b"another" * 5
            found = [None, None]
            try:
                dist.all_gather_object(found, rank)
            except RuntimeError as error:
                return "secret" in str(error)
            return found

        self.assertEqual(members(2, body), [True, True])


class Bits(unittest.TestCase):
    def test_the_same_bits_on_all_members_and_in_all_runs(self):
        def body(rank):
            torch.manual_seed(rank)
            out = []
            for count in (1, 7, 1000, 50_001, 300_007):
                t = torch.randn(count)
                dist.all_reduce(t)
                work = [torch.randn(count), torch.randn(count)]
                for w in [dist.all_reduce(t, async_op=True) for t in work]:
                    w.wait()
                out.append([hash(tuple(t.tolist())) for t in (t, *work)])
            return out

        first, second = members(3, body), members(3, body)
        self.assertEqual(first[0], first[1])
        self.assertEqual(first[0], first[2])
        self.assertEqual(first, second)

    def test_long_and_short_reductions_agree(self):
        def body(rank):
            torch.manual_seed(rank)
            t = torch.randn(100_000)
            pieces = [piece.clone() for piece in t.split(1000)]
            dist.all_reduce(t)
            for piece in pieces:
                dist.all_reduce(piece)
            return bool((torch.cat(pieces) == t).all())

        self.assertEqual(members(3, body), [True] * 3)

    def test_several_frames(self):
        def body(rank):
            count = 3 * _mesh.PIECE // 8 + 5
            t = torch.arange(count) if rank == 0 else torch.zeros(count, dtype=torch.int64)
            dist.broadcast(t, 0)
            right = bool((t == torch.arange(count)).all())
            if rank == 0:
                dist.send(t, 1)
            else:
                got = torch.zeros(count, dtype=torch.int64)
                right = right and dist.recv(got) == 0 and bool((got == t).all())
            dist.all_reduce(t)
            return right and bool((t == torch.arange(count) * 2).all())

        self.assertEqual(members(2, body), [True, True])


if __name__ == "__main__":
    unittest.main()
