"""Names that modules of the reference have only since they import them, and that programs take from there.

``from torch.nn.modules.conv import _pair, _size_2_t`` is found in projects of every kind. A module that lacks such a name asks the table
below, which says where it is from.
"""

import importlib
import typing

# By module: `where it is from:names`, with `name=other` where it has another name there; modules stand behind a bare colon,
# variables of types behind `~`.
_ROWS = {
    "nn.modules.activation": "torch.nn.init:constant_,xavier_normal_,xavier_uniform_ torch.nn.modules.linear:NonDynamicallyQuantizableLinear",
    "nn.modules.adaptive": ":itertools collections:namedtuple collections.abc:Sequence",
    "nn.modules.batchnorm": "torch.nn.parameter:UninitializedBuffer,UninitializedParameter typing:Any",
    "nn.modules.container": "~:T,_V :container_abcs=collections.abc,torch itertools:chain,islice typing:Any,Self,TypeVar,overload",
    "nn.modules.conv": "torch.nn.common_types:_size_1_t,_size_2_t,_size_3_t torch.nn.parameter:UninitializedParameter typing:Literal",
    "nn.modules.flatten": "torch.types:_size",
    "nn.modules.fold": "torch.nn.common_types:_size_any_t",
    "nn.modules.linear": "torch.nn.parameter:UninitializedParameter typing:Any",
    "nn.modules.loss": "collections.abc:Callable",
    "nn.modules.module": (
        "~:T :functools,inspect,itertools,torch,warnings,weakref collections:namedtuple collections.abc:Callable,Iterator,Mapping "
        "torch:device,dtype,memory_format torch.utils.hooks:RemovableHandle typing:Any,Self,Union,overload"
    ),
    "nn.modules.normalization": "torch:Size",
    "nn.modules.padding": "torch.nn.common_types:_size_2_t,_size_4_t,_size_6_t",
    "nn.modules.pooling": (
        "torch.nn.common_types:_ratio_2_t,_ratio_3_t,_size_1_t,_size_2_opt_t,_size_2_t,_size_3_opt_t,_size_3_t,_size_any_opt_t,_size_any_t"
    ),
    "nn.modules.rnn": ":numbers typing:overload",
    "nn.modules.transformer": "collections.abc:Callable torch.nn.init:xavier_uniform_ typing:Any",
    "nn.modules.upsampling": "torch.nn.common_types:_ratio_2_t,_ratio_any_t,_size_2_t,_size_any_t",
    "nn.modules.utils": ":collections itertools:repeat typing:Any",
    "nn.functional": ":np=numpy collections.abc:Callable torch.nn.modules.utils:_list_with_default,_pair,_single,_triple typing:_Any=Any",
    "nn.init": "~:_R collections.abc:Callable typing:Literal,TypeVar",
    "nn.parameter": ":torch collections:OrderedDict typing:Any",
    "nn.common_types": "typing:_TypeAlias=TypeAlias",
    "nn.utils.rnn": "~:_R,_T :warnings collections.abc:Callable,Iterable typing:Any,Self,TypeVar",
    "nn.utils.clip_grad": "~:_R :functools,types,typing collections.abc:Callable typing:TypeAlias,TypeVar,cast",
    "nn.utils.convert_parameters": "collections.abc:Iterable",
    "nn.utils.fusion": "~:ConvT,LinearT typing:TypeVar",
    "nn.utils.memory_format": "~:_M :torch typing:TypeVar",
    "nn.utils.parametrizations": "enum:Enum,auto torch:Tensor",
    "nn.utils.parametrize": ":collections collections.abc:Sequence contextlib:contextmanager copy:deepcopy",
    "nn.utils.prune": ":torch",
    "nn.utils.spectral_norm": "~:T_module torch.nn.modules.module:Module typing:Any,TypeVar",
    "nn.utils.weight_norm": (
        "~:T_module torch:_weight_norm,norm_except_dim torch.nn.modules.module:Module torch.nn.parameter:UninitializedParameter typing:Any,TypeVar"
    ),
    "nn.utils.stateless": ":contextlib,torch torch:Tensor typing:Any",
    "nn.parallel.data_parallel": "~:T :operator,torch,warnings collections.abc:Sequence itertools:chain typing:Any,Generic,TypeVar",
    "optim.optimizer": (
        "~:R,T,_T :torch,warnings collections:OrderedDict collections.abc:Callable,Sequence copy:deepcopy itertools:chain "
        "torch.utils.hooks:RemovableHandle typing:Any,Self,TypeAlias,TypeVar,cast,defaultdict,overload"
    ),
    "optim.lr_scheduler": ":warnings functools:partial,wraps torch:Tensor typing:Any,Literal,Self,SupportsFloat,TypedDict,cast weakref:ref",
    "optim.adam": (
        ":torch torch:Tensor "
        "torch.optim.optimizer:ParamsT,_default_to_fused_or_foreach,_get_capturable_supported_devices,_get_scalar_dtype,"
        "_get_value,_stack_if_compiling typing:cast"
    ),
    "optim.sgd": ":torch torch:Tensor torch.optim.optimizer:ParamsT,_default_to_fused_or_foreach typing:cast",
    "optim.adamw": "torch:Tensor torch.optim.optimizer:ParamsT,StateDict",
    "optim.swa_utils": (
        ":itertools,torch,warnings copy:deepcopy torch:Tensor torch.optim.optimizer:_get_foreach_kernels_supported_devices "
        "typing:Any,Literal,cast"
    ),
    "utils.data.dataloader": (
        "~:_T,_T_co :contextlib,functools,logging,queue,threading,torch,weakref collections.abc:Callable typing:Any,Generic,NoReturn,Self,TypeVar"
    ),
    "utils.data.dataset": "~:_T,_T_co,_T_stack collections.abc:Sequence torch:Generator,Tensor,default_generator,randperm typing:Generic,TypeVar,cast",
    "utils.data.sampler": "~:_T_co :torch collections.abc:Iterable,Iterator,Sequence,Sized typing:Generic,TypeVar",
    "utils.data.distributed": "~:_T_co :torch collections.abc:Iterator torch.utils.data.dataset:Dataset typing:TypeVar",
    "utils.data._utils.collate": ":contextlib,np=numpy,torch collections.abc:Callable",
    "functional": (
        ":F=torch.nn.functional,itertools,operator,torch "
        "torch:atleast_1d,atleast_2d,atleast_3d,block_diag,broadcast_tensors,cartesian_prod,chain_matmul,einsum,istft,lu,"
        "meshgrid,pca_lowrank,split,svd_lowrank typing:Any"
    ),
    "autograd.function": "~:_R,_T :inspect,itertools,torch collections:OrderedDict collections.abc:Callable typing:Any,Concatenate,TypeVar",
    "autograd.variable": ":torch",
    "autograd.gradcheck": ":collections,functools,torch,warnings collections.abc:Callable,Iterable itertools:product torch.types:_TensorOrTensors",
    "amp.autocast_mode": ":collections,np=numpy,torch torch.types:_dtype typing:Any",
    "amp.grad_scaler": ":inspect,torch typing:Any,cast,defaultdict,overload",
    "distributions.utils": (
        "~:R,T :F=torch.nn.functional collections.abc:Callable,Sequence functools:update_wrapper torch:SymInt,Tensor "
        "torch.types:Device,_Number,_dtype typing:Any,Final,Generic,TypeVar,overload"
    ),
    "distributions.constraints": "collections.abc:Callable typing:Any",
    "fx.node": "~:ArgumentT,_R :inspect,logging,operator,torch collections.abc:Callable,Iterable,Mapping,Sequence typing:Any,Optional,TypeAlias,Union",
}


def lend(module, path):
    """Lets a module answer for the names that it borrows in the reference, when they are asked for."""
    row = _ROWS.get(path)
    if row is None:
        return
    found = {}
    for part in row.split():
        source, _, names = part.partition(":")
        for name in names.split(","):
            name, _, other = name.partition("=")
            found[name] = (source, other or name)
    own = vars(module).get("__getattr__")

    def answer(name):
        if name not in found:
            if own is not None:
                return own(name)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        source, other = found[name]
        if source == "~":
            value = typing.TypeVar(name, covariant=name.endswith("_co"))
        else:
            value = getattr(importlib.import_module(source), other) if source else importlib.import_module(other)
        setattr(module, name, value)
        return value

    module.__getattr__ = answer
