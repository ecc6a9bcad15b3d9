# typing imported under another name
import torch
import typing as tp
def f(x: tp.List[int], y: tp.Optional[tp.Tuple[int, str]], z: tp.Dict[str, tp.Union[int, str]]) -> tp.List[int]:
    return x
print(torch.jit.script(f).schema)
def g(x: tp.List): return x
try: torch.jit.script(g)
except Exception as e: print(str(e)[:200])


class Holder(torch.nn.Module):
    def forward(self, x: tp.List[int], y: tp.Optional[int] = None) -> tp.Dict[str, int]:
        return {"a": len(x)}


print(torch.jit.script(Holder()).forward.schema)
