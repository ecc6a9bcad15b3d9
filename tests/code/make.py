"""Writes what the reference prints as `.code` for every function of a case: `python make.py CASE.py...`, with PyTorch."""

import ast
import pathlib
import subprocess
import sys
import tempfile

for case in map(pathlib.Path, sys.argv[1:]):
    source = case.read_text()
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    tail = f"\nfor function in [{', '.join(names)}]:\n    print(torch.jit.script(function).code)\n"
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, case.name)
        program.write_text(source + tail)
        output = subprocess.run([sys.executable, program], stdout=subprocess.PIPE, text=True, check=True).stdout
    case.with_suffix(".out").write_text(output)
