"""What is to happen to the tensors around every node: which of them are observed, and how."""

import dataclasses
import warnings
from typing import Any, Callable, Optional

import rushlight as torch

from ....fx import GraphModule, Node
from ....nn import Module
from ..backend_config import BackendConfig, BackendPatternConfig, DTypeConfig, DTypeWithConstraints, ObservationType
from ..fake_quantize import FakeQuantizeBase, FixedQParamsFakeQuantize
from ..observer import FixedQParamsObserver, ReuseInputObserver
from ..qconfig import QConfigAny
from .match_utils import _find_matches, _Match
from .utils import all_node_args_have_no_tensors

_FIXED_EXAMPLE = """QConfig must specify a FixedQParamsObserver or a FixedQParamsFakeQuantize for fixed qparams ops, ignoring {}.
Please use torch.ao.quantization.get_default_qconfig_mapping or torch.ao.quantization.get_default_qat_qconfig_mapping. Example:
    qconfig_mapping = get_default_qconfig_mapping("fbgemm")
    model = prepare_fx(model, qconfig_mapping, example_inputs)"""


@dataclasses.dataclass
class Annotation:
    """How the tensors of a node are observed: constructors of observers, None for plain numbers.

    Attributes:
        input, weight, output: for arguments, for the weight of a function, for the result.
        output_dtype: of the result.
        shares: the node with whose first argument the result shares its observer.
        reuses: whether, besides, arguments are not observed for its sake.
        weight_index: the position of the weight.
        bias_index: the position of the bias.
    """

    input: Optional[Callable] = None
    weight: Optional[Callable] = None
    output: Optional[Callable] = None
    output_dtype: torch.dtype = torch.float
    shares: Optional[Node] = None
    reuses: bool = False
    weight_index: Optional[int] = None
    bias_index: Optional[int] = None


def dtype_of(observer: Module) -> tuple[Any, bool]:
    """The dtype that an observer is for, and whether each tensor has its own scale."""
    return observer.dtype, bool(getattr(observer, "is_dynamic", False))


def _is_fixed(observer: Module) -> bool:
    return isinstance(observer, (FixedQParamsObserver, FixedQParamsFakeQuantize))


def _holds(observer: Module, wanted: DTypeWithConstraints, qconfig: QConfigAny, fixed: bool) -> bool:
    """Whether an observer gives what a backend wants of range, scale and zero point; warns where it does not."""
    inner = observer.activation_post_process if isinstance(observer, FakeQuantizeBase) else observer
    low, high = getattr(inner, "quant_min", None), getattr(inner, "quant_max", None)
    wanted_range = wanted.quant_min_lower_bound, wanted.quant_max_upper_bound
    if None not in wanted_range:
        if low is None or high is None:
            warnings.warn(f"QConfig must specify 'quant_min' and 'quant_max', ignoring {qconfig}", stacklevel=3)
            return False
        if low < wanted_range[0] or high > wanted_range[1]:
            warnings.warn(
                f"QConfig quantization range must fall within the backend's:\nQConfig range = ({low}, {high}), "
                f"BackendConfig range = {wanted_range}, ignoring {qconfig}",
                stacklevel=3,
            )
            return False
    if wanted.scale_min_lower_bound is not None:
        eps = getattr(inner, "eps", None)
        if eps is None:
            warnings.warn(f"QConfig must specify 'eps', ignoring {qconfig}", stacklevel=3)
            return False
        if eps < wanted.scale_min_lower_bound:
            warnings.warn(
                f"QConfig eps ({eps}) must be greater than or equal to the backend's min scale value "
                f"({wanted.scale_min_lower_bound}), ignoring {qconfig}",
                stacklevel=3,
            )
            return False
    if fixed and wanted.scale_exact_match is not None:
        if not _is_fixed(observer):
            warnings.warn(_FIXED_EXAMPLE.format(qconfig), stacklevel=3)
            return False
        if float(observer.scale) != wanted.scale_exact_match or int(observer.zero_point) != wanted.zero_point_exact_match:
            warnings.warn(
                f"QConfig fixed scale ({observer.scale}) and zero point ({observer.zero_point}) do not match the backend's "
                f"({wanted.scale_exact_match} and {wanted.zero_point_exact_match}), ignoring {qconfig}",
                stacklevel=3,
            )
            return False
    return True


def _supported_by(qconfig: QConfigAny, dtypes: DTypeConfig) -> bool:
    """Whether a configuration asks for a combination of dtypes."""
    activation, weight = qconfig.activation(), qconfig.weight()
    dtype, is_dynamic = dtype_of(activation)
    if bool(dtypes.is_dynamic) != is_dynamic:
        return False
    if dtypes.input_dtype not in (None, dtype):
        return False
    if dtypes.weight_dtype is not None and not (dtypes.weight_dtype == weight.dtype or dtypes.weight_dtype == torch.float):
        return False
    if not is_dynamic and dtypes.output_dtype not in (None, dtype):
        return False
    if not _holds(activation, dtypes.input_dtype_with_constraints, qconfig, True):
        return False
    return dtypes.weight_dtype is None or _holds(weight, dtypes.weight_dtype_with_constraints, qconfig, False)


def is_supported(qconfig: QConfigAny, config: BackendPatternConfig) -> bool:
    """Whether a backend has what a configuration asks for a pattern."""
    return not config.dtype_configs or any(_supported_by(qconfig, dtypes) for dtypes in config.dtype_configs)


def _observed_as(match: _Match, modules: dict[str, Module], cache: dict[Node, bool]) -> ObservationType:
    """How the result of a pattern is observed, where that depends on how many arguments are tensors."""
    by_count = match.config._num_tensor_args_to_observation_type
    if not by_count:
        return match.config.observation_type
    tensors = [
        each for each in match.first.args
        if isinstance(each, Node) and not all_node_args_have_no_tensors(each, modules, cache)
    ]
    return by_count[len(tensors)]


def _annotate_match(
    match: _Match,
    found: dict[Node, Annotation],
    qconfigs: dict[str, QConfigAny],
    observed_as: ObservationType,
    index: dict[str, int],
) -> None:
    first, last = qconfigs.get(match.first.name), qconfigs[match.last.name]
    activation = last.activation()
    dtype, is_dynamic = dtype_of(activation)
    if first is not None:
        at_start = found[match.first]
        if dtype_of(first.activation())[0] != torch.float:
            at_start.input = first.activation
        at_start.weight_index, at_start.bias_index = index.get("weight"), index.get("bias")
        if "weight" in index and first.weight().dtype != torch.float:
            at_start.weight = first.weight
    at_end = found[match.last]
    if observed_as == ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT:
        at_end.shares = match.first
    if dtype != torch.float and not is_dynamic:
        at_end.output, at_end.output_dtype = last.activation, dtype
    if isinstance(activation, ReuseInputObserver):
        found[match.first].input = None
        at_end.shares, at_end.reuses = match.first, True


def annotate(
    model: GraphModule,
    modules: dict[str, Module],
    qconfigs: dict[str, QConfigAny],
    backend_config: BackendConfig,
    quantized_inputs: list[int],
) -> tuple[dict[Node, Annotation], set[str]]:
    """What is to happen around every node, and the names of nodes that a backend quantizes.

    Args:
        model: the recorded model.
        modules: its modules by path.
        qconfigs: configurations by names of nodes.
        backend_config: what can be quantized.
        quantized_inputs: the positions of arguments that are quantized already.
    """
    found = {node: Annotation() for node in model.graph.nodes}
    for index, node in enumerate(each for each in model.graph.nodes if each.op == "placeholder"):
        if index in quantized_inputs:
            found[node].output_dtype = torch.quint8
    cache: dict[Node, bool] = {}
    observed: set[str] = set()
    for match in _find_matches(model.graph, modules, backend_config.configs):
        qconfig = qconfigs.get(match.last.name)
        if qconfig is None or not is_supported(qconfig, match.config):
            continue
        observed.update(node.name for node in match.nodes)
        observed_as = _observed_as(match, modules, cache)
        if observed_as != ObservationType.INPUT_OUTPUT_NOT_OBSERVED:
            # Which argument is the weight is said of the function, not of sequences that begin with it.
            alone = backend_config._pattern_complex_format_to_config.get(match.first.target, match.config)
            _annotate_match(match, found, qconfigs, observed_as, alone._input_type_to_index)
    return found, observed
