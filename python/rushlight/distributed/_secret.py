"""The secret of a job: who knows it may join, and only what its members send is unpickled.

It is the one of remote calls: ``RUSHLIGHT_RPC_SECRET`` holds at least 16 characters, or ``RUSHLIGHT_RPC_SECRET_FILE``
names a file of this user alone that holds them. Where neither is set, a store on the loopback device makes one, and keeps
it where only processes of this user find it.
"""

import hashlib
import hmac
import os
import secrets
import stat
import struct
import tempfile

_LEAST = 16
_GREETING = b"RLDIST1\0"
_NONCE = 32
# What a client says of itself: its kind, the group it means, its rank.
_CLAIM = struct.Struct("!4sQI")
_TAG = 32
HELLO = len(_GREETING) + _NONCE
ANSWER = _NONCE + _CLAIM.size + _TAG


def _is_private(facts):
    return facts.st_uid == os.geteuid() and not facts.st_mode & 0o077


def _checked(secret, where):
    if len(secret) < _LEAST:
        raise ValueError(f"the secret in {where} has {len(secret)} bytes, of {_LEAST} that it needs at least")
    return secret


def configured():
    """The secret that the environment gives, as bytes; None where there is none."""
    given = os.environ.get("RUSHLIGHT_RPC_SECRET")
    if given is not None:
        return _checked(given.strip().encode(), "RUSHLIGHT_RPC_SECRET")
    path = os.environ.get("RUSHLIGHT_RPC_SECRET_FILE")
    if path is None:
        return None
    with open(path, "rb") as file:
        if not _is_private(os.fstat(file.fileno())):
            raise PermissionError(f"{path} holds the secret of a group, and must be this user's alone: chmod 600")
        return _checked(file.read(4096).strip(), path)


def fresh():
    """A new secret."""
    return secrets.token_bytes(32)


def _folder():
    """The folder, opened, that keeps secrets of this user."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    path = None
    if runtime and os.path.isabs(runtime):
        try:
            facts = os.lstat(runtime)
            if stat.S_ISDIR(facts.st_mode) and _is_private(facts):
                path = os.path.join(runtime, "rushlight")
        except OSError:
            pass
    if path is None:
        path = os.path.join(tempfile.gettempdir(), f"rushlight-{os.geteuid()}")
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not _is_private(os.fstat(folder)):
        os.close(folder)
        raise PermissionError(
            f"cannot keep the secret of a group in {path}, which is not a folder that this user alone can use: remove it, "
            "or set RUSHLIGHT_RPC_SECRET or RUSHLIGHT_RPC_SECRET_FILE in every process of the group"
        )
    return folder


def _name(port):
    return f"store-{port}.secret"


def publish(port, secret):
    """Puts the secret of a store at a port of the loopback device where processes of this user find it."""
    folder = _folder()
    try:
        draft = f".{secrets.token_hex(16)}"
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            os.write(file, secret)
        finally:
            os.close(file)
        os.rename(draft, _name(port), src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)


def published(port):
    """The secret of the store at a port of the loopback device; None as long as there is none."""
    folder = _folder()
    try:
        file = os.open(_name(port), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None
    finally:
        os.close(folder)
    try:
        return os.read(file, 4096) if _is_private(os.fstat(file)) else None
    finally:
        os.close(file)


def withdraw(port):
    """Takes away what :func:`publish` has put there."""
    try:
        folder = _folder()
    except OSError:
        return
    try:
        os.unlink(_name(port), dir_fd=folder)
    except OSError:
        pass
    finally:
        os.close(folder)


def tag(secret, *parts):
    """The proof that whoever has sent `parts` knows the secret."""
    mac = hmac.new(secret, digestmod=hashlib.sha256)
    for part in parts:
        mac.update(struct.pack("!Q", len(part)))
        mac.update(part)
    return mac.digest()


def hello():
    """What a server sends first, with the random number in it."""
    nonce = secrets.token_bytes(_NONCE)
    return _GREETING + nonce, nonce


def answer(secret, greeting, kind, group, rank):
    """What a client sends in return, and the proof that it expects of the server."""
    if greeting[: len(_GREETING)] != _GREETING:
        raise ConnectionError("the other end is no member of a job of this version")
    theirs, own = greeting[len(_GREETING) :], secrets.token_bytes(_NONCE)
    claim = _CLAIM.pack(kind, group, rank)
    proof = tag(secret, b"client", theirs, own, claim)
    return own + claim + proof, tag(secret, b"server", theirs, own, claim)


def admit(secret, nonce, given):
    """What a client claims (kind, group, rank) and the server's proof; None for who does not know the secret."""
    own, claim, proof = given[:_NONCE], given[_NONCE : _NONCE + _CLAIM.size], given[_NONCE + _CLAIM.size :]
    if not hmac.compare_digest(proof, tag(secret, b"client", nonce, own, claim)):
        return None
    return _CLAIM.unpack(claim), tag(secret, b"server", nonce, own, claim)
