# Models from a folder, files from addresses, and repositories that are in the cache: no network.
import builtins
import contextlib
import hashlib
import io
import os
import sys
import tempfile
import warnings

import torch
from torch import hub
from torch.utils import model_zoo

folder = os.path.realpath(tempfile.mkdtemp())
digest = ""


def t(f):
    err = io.StringIO()
    out = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = f"-> {f()}"
        except Exception as e:
            result = f"{type(e).__name__} | {e}"
    for text in (out.getvalue(), result, repr(err.getvalue())):
        print(text.replace(folder, "FOLDER").replace(digest or "?", "HASH").replace(digest[:8] or "?", "HASH8").strip())


for name in ("TORCH_HOME", "XDG_CACHE_HOME"):
    os.environ.pop(name, None)
print(hub.get_dir() == os.path.expanduser("~/.cache/torch/hub"))
os.environ["XDG_CACHE_HOME"] = folder + "/xdg"
t(lambda: (hub.get_dir(), hub._get_torch_home()))
os.environ["TORCH_HOME"] = folder + "/home"
t(hub.get_dir)
hub.set_dir(folder + "/hub")
t(hub.get_dir)
print(hub.HASH_REGEX.pattern, hub.READ_DATA_CHUNK)

path = os.path.join(folder, "m.bin")
torch.save({"a": torch.ones(2)}, path)
digest = hashlib.sha256(open(path, "rb").read()).hexdigest()
url = "file://" + path
t(lambda: hub.load_state_dict_from_url(url))
t(lambda: os.listdir(folder + "/hub/checkpoints"))
t(lambda: hub.load_state_dict_from_url(url))
t(lambda: model_zoo.load_url(url, model_dir=folder + "/x", progress=False, file_name="q.pth", map_location="cpu"))
t(lambda: os.listdir(folder + "/x"))
t(lambda: hub.load_state_dict_from_url(url, file_name="m-0000abcd.pth", check_hash=True, progress=False))
t(lambda: hub.load_state_dict_from_url(url, file_name=f"m-{digest[:8]}.pth", check_hash=True, progress=False) and None)
t(lambda: hub.download_url_to_file(url, folder + "/z", hash_prefix=digest[:8], progress=False))
t(lambda: hub.download_url_to_file(url, folder + "/z2", hash_prefix="00000000", progress=False))
t(lambda: hub.download_url_to_file(f"file://{folder}/nope", folder + "/z3", progress=False))
t(lambda: [n for n in sorted(os.listdir(folder)) if n.startswith("z")])

local = folder + "/repo"
os.mkdir(local)
with open(local + "/helper_of_repo.py", "w") as f:
    f.write("x = 1\n")
with open(local + "/hubconf.py", "w") as f:
    f.write(
        "dependencies = ['os']\nimport helper_of_repo\n"
        "def model(n=1, *, k=2):\n    'Makes a model.'\n    return 'model', n, k\n"
        "def _private(): pass\nclass Second:\n    'A class.'\n"
    )
t(lambda: hub.load(local, "model", 3, k=4, source="local"))
t(lambda: hub.load(local, "nope", source="local"))
t(lambda: hub.load(local, 3, source="local"))
t(lambda: hub.load(local, "model", source="ftp"))
t(lambda: hub.load("noslash:main", "model"))
t(lambda: hub.load("a/b:c:d", "model"))
t(lambda: hub.load(folder + "/no", "model", source="local"))
with open(local + "/hubconf.py", "w") as f:
    f.write("dependencies = ['not_there_1', 'not_there_2']\ndef model(): pass\n")
t(lambda: hub.load(local, "model", source="local"))
t(lambda: [p for p in sys.path if "repo" in p])

cached = folder + "/hub/owner_name_some_branch"
os.makedirs(cached)
with open(cached + "/hubconf.py", "w") as f:
    f.write("def model():\n    'The doc.'\n    return 5\n")
github = "owner/name:some/branch"


def answers(answer):
    def ask(prompt=""):
        print(prompt)
        return answer

    builtins.input = ask


answers("n")
t(lambda: hub.load(github, "model"))
t(lambda: hub.load(github, "model", trust_repo=False))
answers("perhaps")
t(lambda: hub.load(github, "model", trust_repo=False))
answers("y")
t(lambda: hub.load(github, "model", trust_repo=False))
t(lambda: hub.list(github, trust_repo=True, verbose=False))
t(lambda: hub.help(github, "model"))
