# What the specs of trees refuse, and other kinds of containers.
import torch
import torch.utils._pytree as p
from collections import *
P=namedtuple("P","x y"); Q=namedtuple("Q","x y")
s=p.tree_structure([1,(2,)])
def tr(f):
    try: print("->", f())
    except Exception as e: print(type(e).__name__,"|",e)
S=p.tree_structure
tr(lambda: S({"a":1,"b":2}).flatten_up_to({"b":3,"a":4}))
tr(lambda: S({"a":1,"b":2}).flatten_up_to(OrderedDict(b=3,a=4)))
tr(lambda: S({"a":1}).flatten_up_to({"a":1,"c":2}))
tr(lambda: S({"a":1,"b":2}).flatten_up_to({"a":1}))
tr(lambda: S(defaultdict(int,a=1)).flatten_up_to({"a":5}))
tr(lambda: S({"a":1}).flatten_up_to([1]))
tr(lambda: S(deque([1],maxlen=2)).flatten_up_to(deque([1],maxlen=3)))
class C:
    def __init__(s,a,c): s.a,s.c=a,c
p.register_pytree_node(C,lambda c:([c.a],c.c),lambda ch,ctx:C(*ch,ctx))
tr(lambda: S(C(1,2)).flatten_up_to(C(1,3)))
tr(lambda: S(C(1,2)).flatten_up_to(C(1,2)))
tr(lambda: S(torch.max(torch.ones(2,2),0)).flatten_up_to((1,2)))
print(S([]), S({}), S([[],()]), S(torch.Size([1,2])), S([None]))
print(p.treespec_dict({"b":s,"a":s}), p.treespec_tuple(()), p.tree_structure({1,2}))
print(p.LeafSpec()==p.LeafSpec(), s==3, s!=S([1,(3,)]), isinstance(p.LeafSpec(),p.TreeSpec), s.type, p.LeafSpec().type, p.LeafSpec().num_leaves, p.LeafSpec().context)
tr(lambda: p.key_get([1],(p.MappingKey("a"),)))
tr(lambda: p.tree_map_only(int)(lambda x:x))
tr(lambda: p.map_only(int)(lambda x:x+1)("a"))
tr(lambda: p.treespec_dumps(3))
tr(lambda: p.treespec_loads("[5, {}]"))
tr(lambda: p.treespec_dumps(S(torch.Size([1]))))
p._register_namedtuple(P,serialized_type_name="q.P")
tr(lambda: p.treespec_dumps(S(P(1,2))))
tr(lambda: p.treespec_loads(p.treespec_dumps(S(P(1,2)))))
tr(lambda: [p.tree_leaves(x) for x in (range(2), "ab", b"a", 3., torch.Size([3,4]), frozenset([1]))])
import dataclasses
@dataclasses.dataclass
class DC:
    x:int
    y:int=3
    z:int=dataclasses.field(default=4,init=False)
tr(lambda: p.register_dataclass(DC,field_names=["x"]))
tr(lambda: p.register_dataclass(DC,field_names=["x"],drop_field_names=["y"]))
tr(lambda: p.register_dataclass(3))
tr(lambda: (p.tree_flatten(DC(1)),p.tree_map(lambda x:x+1,DC(1,None))))
class K:
    def __eq__(s,o): return isinstance(o,K)
    def __hash__(s): return 3
p.register_constant(K); tr(lambda: p.tree_flatten([K(),1])[0])
tr(lambda: p.tree_map_with_path(lambda k,a,b:(k,a,b),[1],[2]))
tr(lambda: p.tree_flatten_with_path(3))
tr(lambda: p.tree_map_with_path(lambda k,a:k,{"b":1,"a":(2,)}))
