# Nested containers as leaves and what holds them together.
import torch, inspect
import torch.utils._pytree as p
from collections import *
P=namedtuple("P","x y")
t={"b":[1,(2,3)],"a":P(4,OrderedDict(z=5,y=None)),"c":deque([6],maxlen=3),"d":defaultdict(list,{"q":[7]}), "e":set([1]), "f":torch.max(torch.ones(2,2),0)}
l,s=p.tree_flatten(t); print(l); print(s); print(repr(s)); print(p.tree_unflatten(l,s)==t if False else p.tree_unflatten(l,s))
print(s.num_leaves,s.num_nodes,s.num_children,s.type,s.context, s.is_leaf(), s.children()[0] if callable(getattr(s,'children',None)) else s.children_specs[0])
print(s==p.tree_structure(t), hash(p.tree_structure([1,2]))==hash(p.tree_structure([3,4])), p.tree_structure([1])==p.tree_structure((1,)), p.tree_structure({"a":1,"b":2})==p.tree_structure({"b":1,"a":2}))
print(p.tree_map(lambda x: x*2 if isinstance(x,int) else x, [1,(2,{"a":3})]), p.tree_map(lambda a,b: a+b, [1,(2,)],[3,(4,)]))
def tr(f):
    try: print("->", f())
    except Exception as e: print(type(e).__name__,"|",e)
tr(lambda: p.tree_map(lambda a,b: a+b, [1,(2,)],[3,4]))
tr(lambda: p.tree_map(lambda a,b: a+b, [1,(2,)],[3,(4,5)]))
tr(lambda: p.tree_map(lambda a,b: a+b, {"a":1},{"b":1}))
tr(lambda: p.tree_map(lambda a,b: a+b, [1,2],(1,2)))
tr(lambda: p.tree_map(lambda a,b: (a,b), 1,(1,2)))
tr(lambda: p.tree_unflatten([1],p.tree_structure([1,2])))
tr(lambda: p.tree_unflatten([1,2,3],p.tree_structure([1,2])))
tr(lambda: p.tree_unflatten(iter([1,2]),p.tree_structure([1,2])))
tr(lambda: p.tree_unflatten([1],3))
tr(lambda: p.tree_map_only(int,lambda x:-x,[1,2.,"a"]))
tr(lambda: p.tree_map_only((int,str),lambda x:x*2,[1,2.,"a"]))
tr(lambda: p.tree_map_only(lambda x: x==1,lambda x:x*2,[1,2.,"a"]))
tr(lambda: p.tree_map_only(3,lambda x:x*2,[1,2.,"a"]))
tr(lambda: p.tree_map_([].append,[1,[2]]))
tr(lambda: (p.tree_all(bool,[1,2]),p.tree_any(bool,[0,0]),p.tree_all_only(int,lambda x:x>0,[1,"a"]),p.tree_any_only(str,lambda x:x=="a",[1,"a"]),p.tree_all(lambda x:x,[])))
tr(lambda: p.tree_flatten_with_path({"a":[1,2],"b":P(3,4),"o":OrderedDict(u=1),"d":deque([3]),"dd":defaultdict(int,m=4),"s":torch.max(torch.ones(2,2),0)})[0])
tr(lambda: [p.keystr(k) for k,v in p.tree_flatten_with_path({"a":[1,2],"b":P(3,4),3:5})[0]])
tr(lambda: [p.key_get({"a":[1,2],"b":P(3,4)},k) for k,v in p.tree_flatten_with_path({"a":[1,2],"b":P(3,4)})[0]])
tr(lambda: p.tree_map_with_path(lambda k,x:(p.keystr(k),x),{"a":[1,2]}))
tr(lambda: p.tree_leaves_with_path([1,[2]]))
tr(lambda: list(p.tree_iter({"b":1,"a":[2,None]})))
tr(lambda: p.tree_leaves([[1,2],[3]],is_leaf=lambda x:isinstance(x,list) and len(x)==2))
tr(lambda: p.tree_flatten([[1,2],[3]],is_leaf=lambda x:isinstance(x,list) and len(x)==2))
tr(lambda: (p.tree_is_leaf(1),p.tree_is_leaf([1]),p.tree_is_leaf(None),p.tree_is_leaf([1],is_leaf=lambda x:True)))
class C:
    def __init__(s,a,b): s.a,s.b=a,b
    def __repr__(s): return f"C({s.a},{s.b})"
tr(lambda: p.tree_leaves(C(1,[2])))
p.register_pytree_node(C,lambda c:([c.a,c.b],"ctx"),lambda ch,ctx:C(*ch),flatten_with_keys_fn=lambda c:([(p.GetAttrKey("a"),c.a),(p.GetAttrKey("b"),c.b)],"ctx"),serialized_type_name="q.C")
tr(lambda: p.tree_flatten(C(1,[2])))
tr(lambda: p.tree_map(lambda x:x+1,C(1,[2])))
tr(lambda: p.tree_flatten_with_path(C(1,[2])))
tr(lambda: p.register_pytree_node(C,lambda c:([c.a,c.b],None),lambda ch,ctx:C(*ch)))
class D(C): pass
p._register_pytree_node(D,lambda c:([c.a,c.b],None),lambda ch,ctx:D(*ch))
tr(lambda: p.tree_map(lambda x:x+1,D(1,[2])))
tr(lambda: p.tree_flatten_with_path(D(1,[2])))
tr(lambda: p.treespec_dumps(p.tree_structure({"a":[1,(2,)],"b":OrderedDict(x=1)})))
tr(lambda: p.treespec_dumps(p.tree_structure({"a":P(1,2)})))
tr(lambda: p.treespec_dumps(p.tree_structure(D(1,2))))
tr(lambda: p.treespec_loads(p.treespec_dumps(p.tree_structure({"a":[1,(2,None)],"b":OrderedDict(x=1),"q":defaultdict(list,a=1),"d":deque([1,2],maxlen=4)}))))
tr(lambda: p.treespec_dumps(p.tree_structure({"q":defaultdict(list,a=1),"d":deque([1,2],maxlen=4)})))
tr(lambda: p.treespec_pprint(p.tree_structure({"a":[1,(2,)]})))
tr(lambda: (p.is_namedtuple(P(1,2)),p.is_namedtuple(P),p.is_namedtuple_class(P),p.is_namedtuple_instance(P(1,2)),p.is_namedtuple_instance((1,)),p.is_structseq(torch.max(torch.ones(2,2),0)),p.is_structseq_class(type(torch.max(torch.ones(2,2),0)))))
tr(lambda: p._broadcast_to_and_flatten(1,p.tree_structure([1,(2,3)])))
tr(lambda: p._broadcast_to_and_flatten([1,2],p.tree_structure([1,(2,3)])))
tr(lambda: p._broadcast_to_and_flatten([1,2,3],p.tree_structure([1,(2,3)])))
tr(lambda: p.arg_tree_leaves(1,[2],k=3))
tr(lambda: p.tree_structure([1,(2,)]).flatten_up_to([[5],(6,)]))
tr(lambda: p.tree_structure([1,(2,)]).flatten_up_to([[5],6]))
tr(lambda: (p.LeafSpec(), repr(p.LeafSpec()), p.TreeSpec(list,None,[p.LeafSpec()]), p.treespec_leaf(), p.treespec_tuple([p.LeafSpec()]), p.treespec_dict({"a":p.LeafSpec()})))
tr(lambda: p.tree_flatten({2:1,"a":3}))
tr(lambda: (p.SequenceKey(1), str(p.MappingKey("a")), p.GetAttrKey("x"), str(p.SequenceKey(1)), p.SequenceKey(1)==p.SequenceKey(1)))
import dataclasses
@dataclasses.dataclass
class DC:
    x:int
    y:int=3
p.register_dataclass(DC)
tr(lambda: p.tree_flatten_with_path(DC(1)))
tr(lambda: p.tree_map(lambda x:x+1,DC(1)))
