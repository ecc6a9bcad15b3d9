"""``torch.hub``: models from folders and repositories with a ``hubconf.py``, and files from addresses.

Only what is asked for goes over the network: ``load(..., source="local")`` and what is in the cache need none.
"""

import contextlib
import errno
import hashlib
import importlib.util
import json
import os
import re
import shutil
import sys
import uuid
import warnings
import zipfile
from pathlib import Path
from urllib.error import HTTPError, URLError  # noqa: F401
from urllib.parse import urlparse
from urllib.request import Request, urlopen

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

# A file's name may say what its contents hash to: `resnet18-5c106cde.pth`.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
READ_DATA_CHUNK = 128 * 1024
ENV_GITHUB_TOKEN, ENV_TORCH_HOME, ENV_XDG_CACHE_HOME = "GITHUB_TOKEN", "TORCH_HOME", "XDG_CACHE_HOME"
DEFAULT_CACHE_DIR = "~/.cache"
VAR_DEPENDENCY, MODULE_HUBCONF = "dependencies", "hubconf.py"
_TRUSTED_REPO_OWNERS = ("facebookresearch", "facebookincubator", "pytorch", "fairinternal")

_hub_dir = None


class _Faketqdm:
    """Progress as a percentage, where the package tqdm is not installed."""

    def __init__(self, total=None, disable=False, unit=None, *args, **kwargs):
        self.total, self.disable, self.n = total, disable, 0

    def update(self, n):
        """So much more is done."""
        if self.disable:
            return
        self.n += n
        done = f"{self.n:.1f} bytes" if self.total is None else f"{100 * self.n / float(self.total):.1f}%"
        sys.stderr.write(f"\r{done}")
        sys.stderr.flush()

    def set_description(self, *args, **kwargs):
        """Nothing: there is only the number."""

    def write(self, text):
        """A line of its own."""
        sys.stderr.write(f"{text}\n")

    def close(self):
        """Ends the line."""
        self.disable = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.disable:
            sys.stderr.write("\n")


try:
    from tqdm.auto import tqdm
except ImportError:
    tqdm = _Faketqdm


def _get_torch_home():
    cache = os.getenv(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR)
    return os.path.expanduser(os.getenv(ENV_TORCH_HOME, os.path.join(cache, "torch")))


def get_dir():
    """Where repositories and files are kept: ``$TORCH_HOME/hub`` unless :func:`set_dir` said otherwise."""
    return os.path.join(_get_torch_home(), "hub") if _hub_dir is None else _hub_dir


def set_dir(d):
    """Sets where repositories and files are kept."""
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


# Files.


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """Saves what an address gives; fails if its SHA-256 does not begin with `hash_prefix`."""
    answer = urlopen(Request(url, headers={"User-Agent": "torch.hub"}))
    length = answer.headers.get("Content-Length") if hasattr(answer, "headers") else None
    size = int(length) if length else None
    dst = os.path.expanduser(dst)
    # Under another name until it is whole: who is stopped half-way leaves no broken file.
    part = f"{dst}.{uuid.uuid4().hex}.partial"
    digest = hashlib.sha256() if hash_prefix is not None else None
    try:
        with open(part, "xb") as file, tqdm(
            total=size, disable=not progress, unit="B", unit_scale=True, unit_divisor=1024
        ) as bar:
            while chunk := answer.read(READ_DATA_CHUNK):
                file.write(chunk)
                if digest is not None:
                    digest.update(chunk)
                bar.update(len(chunk))
        if digest is not None and not digest.hexdigest().startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')
        shutil.move(part, dst)
    finally:
        answer.close()
        with contextlib.suppress(FileNotFoundError):
            os.remove(part)


def _from_old_zip(path, folder):
    """The one file of a zip archive that is no checkpoint itself, unpacked; None for other files."""
    if not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) != 1 or members[0].filename.endswith("/data.pkl"):
            return None
        warnings.warn(
            "Falling back to the old format < 1.6. This support will be deprecated in favor of default zipfile format "
            "introduced in 1.6. Please redo torch.save() to save it in the new zipfile format.",
            DeprecationWarning,
            stacklevel=3,
        )
        return archive.extract(members[0], folder)


def load_state_dict_from_url(
    url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=False
):
    """Loads the checkpoint at an address, from the cache where it was loaded before."""
    from . import load as load_checkpoint

    if os.getenv("TORCH_MODEL_ZOO"):
        warnings.warn("TORCH_MODEL_ZOO is deprecated, please use env TORCH_HOME instead", stacklevel=2)
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    name = file_name if file_name is not None else os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, found[1] if found else None, progress=progress)
    return load_checkpoint(_from_old_zip(path, folder) or path, map_location=map_location, weights_only=weights_only)


# Repositories.


def _parse_repo_info(github):
    """Owner, name and branch of `owner/name:branch`."""
    repo, ref = github.split(":") if ":" in github else (github, None)
    owner, name = repo.split("/")
    return owner, name, ref or _default_branch(owner, name)


def _default_branch(owner, name):
    # Of two names the one that exists; without a network the one that is in the cache.
    try:
        with urlopen(f"https://github.com/{owner}/{name}/tree/main/"):
            return "main"
    except HTTPError as error:
        if error.code == 404:
            return "master"
        raise
    except URLError as error:
        for ref in ("main", "master"):
            if os.path.exists(os.path.join(get_dir(), f"{owner}_{name}_{ref}")):
                return ref
        raise RuntimeError(
            "It looks like there is no internet connection and the repo could not be found in the cache "
            f"({get_dir()})"
        ) from error


def _git_archive_link(owner, name, ref):
    return f"https://github.com/{owner}/{name}/zipball/{ref}"


def _read_url(request):
    with urlopen(request) as answer:
        return answer.read().decode(answer.headers.get_content_charset("utf-8"))


def _validate_not_a_forked_repo(owner, name, ref):
    """Refuses a commit that is on no branch of the repository: anybody's fork can show one under its name."""
    headers = {"Accept": "application/vnd.github.v3+json"}
    if os.environ.get(ENV_GITHUB_TOKEN):
        headers["Authorization"] = f"token {os.environ[ENV_GITHUB_TOKEN]}"
    for kind in ("branches", "tags"):
        page = 0
        while True:
            page += 1
            address = f"https://api.github.com/repos/{owner}/{name}/{kind}?per_page=100&page={page}"
            found = json.loads(_read_url(Request(address, headers=headers)))
            if not found:
                break
            for one in found:
                if one["name"] == ref or one["commit"]["sha"].startswith(ref):
                    return
    raise ValueError(
        f"Cannot find {ref} in https://github.com/{owner}/{name}. If it's a commit from a forked repo, please call hub.load() "
        "with forked repo directly."
    )


def _check_repo_is_trusted(owner, name, folder, trust_repo):
    """Asks the user before code of an unknown owner is run, unless the program trusts it."""
    place = os.path.join(get_dir(), "trusted_list")
    key = f"{owner}_{name}"
    try:
        known = Path(place).read_text().split("\n")
    except FileNotFoundError:
        known = []
    # What is in the cache from before counts as trusted.
    is_trusted = key in known or owner in _TRUSTED_REPO_OWNERS or os.path.exists(folder)
    if trust_repo is False or trust_repo == "check" and not is_trusted:
        answer = input(
            f"The repository {key} does not belong to the list of trusted repositories and as such cannot be downloaded. "
            "Do you trust this repository and wish to add it to the trusted list of repositories (y/N)?"
        )
        if answer.lower() in ("y", "yes"):
            if is_trusted:
                print("The repository is already trusted.")
        elif answer.lower() in ("n", "no", ""):
            raise Exception("Untrusted repository.")
        else:
            raise ValueError(f"Unrecognized response {answer}.")
    if not is_trusted:
        os.makedirs(get_dir(), exist_ok=True)
        with open(place, "a") as file:
            file.write(f"{key}\n")


def _safe_extract_zip(archive, folder):
    """Unpacks an archive, and refuses one with names that lead elsewhere."""
    root = os.path.realpath(folder)
    for member in archive.infolist():
        target = os.path.realpath(os.path.join(root, member.filename))
        if target != root and not target.startswith(root + os.sep):
            raise ValueError(f"Archive entry {member.filename} would be written outside the target directory")
    archive.extractall(root)


def _get_cache_or_reload(github, force_reload, trust_repo, verbose=True, skip_validation=False):
    """The folder of a repository, fetched unless it is there."""
    hub_dir = get_dir()
    os.makedirs(hub_dir, exist_ok=True)
    owner, name, ref = _parse_repo_info(github)
    # Branches may have slashes in their names.
    key = "_".join((owner, name, ref.replace("/", "_")))
    folder = os.path.join(hub_dir, key)
    _check_repo_is_trusted(owner, name, folder, trust_repo)
    if not force_reload and os.path.exists(folder):
        if verbose:
            sys.stderr.write(f"Using cache found in {folder}\n")
        return folder
    if not skip_validation:
        _validate_not_a_forked_repo(owner, name, ref)
    cached = os.path.join(hub_dir, key + ".zip")
    with contextlib.suppress(FileNotFoundError):
        os.remove(cached)
    address = _git_archive_link(owner, name, ref)
    sys.stdout.write(f'Downloading: "{address}" to {cached}\n')
    download_url_to_file(address, cached, progress=False)
    with zipfile.ZipFile(cached) as archive:
        inside = os.path.join(hub_dir, archive.infolist()[0].filename.split("/")[0])
        _safe_extract_zip(archive, hub_dir)
    os.remove(cached)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.move(inside, folder)
    return folder


@contextlib.contextmanager
def _add_to_sys_path(path):
    sys.path.insert(0, path)
    try:
        yield
    finally:
        sys.path.remove(path)


def _import_module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _hubconf(folder):
    path = os.path.join(folder, MODULE_HUBCONF)
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return _import_module(MODULE_HUBCONF, path)


def _check_dependencies(module):
    needed = getattr(module, VAR_DEPENDENCY, None) or ()
    missing = [package for package in needed if importlib.util.find_spec(package) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")


def _load_entry_from_hubconf(module, model):
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    _check_dependencies(module)
    entry = getattr(module, model, None)
    if entry is None or not callable(entry):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return entry


def _load_local(hubconf_dir, model, *args, **kwargs):
    with _add_to_sys_path(hubconf_dir):
        return _load_entry_from_hubconf(_hubconf(hubconf_dir), model)(*args, **kwargs)


def load(
    repo_or_dir, model, *args, source="github", trust_repo="check", force_reload=False, verbose=True, skip_validation=False,
    **kwargs,
):
    """What an entry of a repository's ``hubconf.py`` gives, or of a folder's with ``source="local"``."""
    source = source.lower()
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        repo_or_dir = _get_cache_or_reload(repo_or_dir, force_reload, trust_repo, verbose, skip_validation)
    return _load_local(repo_or_dir, model, *args, **kwargs)


def help(github, model, force_reload=False, skip_validation=False, trust_repo="check"):
    """What a repository says of one of its entries."""
    folder = _get_cache_or_reload(github, force_reload, trust_repo, True, skip_validation)
    with _add_to_sys_path(folder):
        return _load_entry_from_hubconf(_hubconf(folder), model).__doc__


def list(github, force_reload=False, skip_validation=False, trust_repo="check", verbose=True):
    """The entries of a repository."""
    folder = _get_cache_or_reload(github, force_reload, trust_repo, verbose, skip_validation)
    with _add_to_sys_path(folder):
        module = _hubconf(folder)
    return [name for name in dir(module) if callable(getattr(module, name)) and not name.startswith("_")]
