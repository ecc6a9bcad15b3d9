# a class cannot hold itself, so a tree keeps its nodes in lists and links them by index
from typing import List, Optional

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

class Chain:
    def __init__(self, value: int, rest: Optional["Chain"] = None):
        self.value = value
        self.rest: Optional["Chain"] = rest


@torch.jit.script
class Tree:
    def __init__(self):
        self.keys: List[int] = []
        self.left: List[int] = []
        self.right: List[int] = []

    def node(self, key: int) -> int:
        self.keys.append(key)
        self.left.append(-1)
        self.right.append(-1)
        return len(self.keys) - 1

    def insert(self, key: int) -> bool:
        if len(self.keys) == 0:
            self.node(key)
            return True
        at = 0
        while self.keys[at] != key:
            links = self.left if key < self.keys[at] else self.right
            if links[at] < 0:
                links[at] = self.node(key)
                return True
            at = links[at]
        return False


@torch.jit.script
def depth_of(tree: Tree, key: int) -> Optional[int]:
    at, depth = 0, 0
    while at >= 0:
        if tree.keys[at] == key:
            return depth
        at = tree.left[at] if key < tree.keys[at] else tree.right[at]
        depth += 1
    return None


@torch.jit.script
def build(xs: List[int]):
    tree = Tree()
    added = [tree.insert(x) for x in xs]
    return added, tree.left, tree.right, depth_of(tree, 4), depth_of(tree, 9)


print(build([5, 2, 8, 2, 4]))
err(torch.jit.script, Chain)
