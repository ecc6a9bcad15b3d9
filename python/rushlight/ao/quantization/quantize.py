"""Quantizes models: says what is to happen to which module, puts observers in, and replaces modules by quantized ones."""

import copy
import inspect

import rushlight as torch

from ..._library import publish
from .observer import _is_activation_post_process
from .qconfig import (
    _add_module_to_qconfig_obs_ctr,
    _assert_valid_qconfig,
    default_dynamic_qconfig,
    float16_dynamic_qconfig,
    float_qparams_weight_only_qconfig,
    float_qparams_weight_only_qconfig_4bit,
)
from .quantization_mappings import (
    _get_special_act_post_process,
    _has_special_act_post_process,
    get_default_dynamic_quant_module_mappings,
    get_default_qat_module_mappings,
    get_default_qconfig_propagation_list,
    get_default_static_quant_module_mappings,
    get_default_static_quant_reference_module_mappings,
    no_observer_set,
)
from .stubs import DeQuantStub, QuantWrapper
from .utils import deprecated, get_qparam_dict, has_no_children_ignoring_parametrizations

__all__ = [
    "get_default_custom_config_dict", "propagate_qconfig_", "add_quant_dequant", "prepare", "quantize", "quantize_dynamic",
    "prepare_qat", "quantize_qat", "convert", "swap_module",
]


def get_default_custom_config_dict():
    """The classes of modules that know themselves how they are observed and quantized."""
    from ..nn import quantizable as nnqa
    from ..nn import quantized as nnq

    return {
        "float_to_observed_custom_module_class": {
            torch.nn.LSTM: nnqa.LSTM,
            torch.nn.MultiheadAttention: nnqa.MultiheadAttention,
        },
        "observed_to_quantized_custom_module_class": {
            nnqa.LSTM: nnq.LSTM,
            nnqa.MultiheadAttention: nnq.MultiheadAttention,
        },
    }


def _propagate(module, qconfig_dict, qconfig_parent=None, prefix="", prepare_custom_config_dict=None):
    """Gives a module and all below it their configurations: the one of its path, of its class, its own or its parent's."""
    qconfig = qconfig_dict.get(type(module), qconfig_parent)
    qconfig = qconfig_dict.get(prefix, qconfig)
    qconfig = getattr(module, "qconfig", qconfig)
    _assert_valid_qconfig(qconfig, module)
    module.qconfig = _add_module_to_qconfig_obs_ctr(qconfig, module)
    custom = prepare_custom_config_dict or {}
    left_names = custom.get("non_traceable_module_name", [])
    left_kinds = custom.get("non_traceable_module_class", [])
    for name, child in module.named_children():
        path = prefix + "." + name if prefix else name
        if path not in left_names and type(child) not in left_kinds:
            _propagate(child, qconfig_dict, module.qconfig, path, prepare_custom_config_dict)


def propagate_qconfig_(module, qconfig_dict=None, prepare_custom_config_dict=None):
    """Gives every module within a model its ``qconfig``: that of its parent, unless it has one or `qconfig_dict` says otherwise.

    Args:
        module: the model.
        qconfig_dict: configurations by path or class.
        prepare_custom_config_dict: what to leave out.
    """
    _propagate(module, qconfig_dict or {}, prepare_custom_config_dict=prepare_custom_config_dict)


def _observer_forward_hook(self, input, output):
    """Shows the results of a module to its observer."""
    return self.activation_post_process(output)


def _observer_forward_pre_hook(self, input):
    """Shows the input of a module to its observer."""
    return self.activation_post_process(input[0])


def _register_activation_post_process_hook(module, pre_hook=False):
    """Lets what goes into a module, or comes out of it, pass through its observer."""
    if not hasattr(module, "activation_post_process"):
        raise AssertionError("Expect activation_post_process attribute already attached to the module")
    if pre_hook:
        module.register_forward_pre_hook(_observer_forward_pre_hook, prepend=True)
    else:
        module.register_forward_hook(_observer_forward_hook, prepend=True)


def _needs_observer(module):
    return getattr(module, "qconfig", None) is not None


def _insert_activation_post_process(module, special=None):
    """Puts an observer into a module that has a configuration and observes by itself."""
    if not _needs_observer(module) or isinstance(module, DeQuantStub):
        return
    module.add_module("activation_post_process", module.qconfig.activation() if special is None else special())
    _register_activation_post_process_hook(module)


def _add_observer_(module, qconfig_propagation_list=None, non_leaf_module_list=None, device=None, custom_module_class_mapping=None):
    """Puts observers into all modules that have configurations and observe by themselves."""
    from ..nn import intrinsic as nni
    from ..nn import quantized as nnq
    from ..nn import quantizable as nnqa

    wanted = get_default_qconfig_propagation_list() if qconfig_propagation_list is None else qconfig_propagation_list
    customs = custom_module_class_mapping or {}
    for name, child in module.named_children():
        kind = type(child)
        if kind is torch.nn.Dropout:
            continue
        if issubclass(kind, (nnq.FloatFunctional, nnq.QFunctional)):
            if _needs_observer(child):
                if not hasattr(child, "activation_post_process"):
                    raise AssertionError(f"functional class {kind} has no pre-defined `activation_post_process`")
                child.activation_post_process = child.qconfig.activation()
        elif isinstance(child, nni._FusedModule):
            # The sequence as a whole, not its parts.
            _insert_activation_post_process(child)
        elif non_leaf_module_list is not None and kind in non_leaf_module_list:
            _insert_activation_post_process(child)
        elif _has_special_act_post_process(child):
            _insert_activation_post_process(child, _get_special_act_post_process(child))
        elif _needs_observer(child) and kind in customs:
            _swap_custom(module, name, child, customs[kind], no_observer_set())
        else:
            _add_observer_(child, wanted, non_leaf_module_list, device, customs)
    is_leaf = has_no_children_ignoring_parametrizations(module)
    if is_leaf and not isinstance(module, torch.nn.Sequential) and type(module) in wanted:
        _insert_activation_post_process(module)


def _swap_custom(parent, name, child, observed_class, silent):
    """Puts in the module that a custom one becomes to be observed."""
    observed = observed_class.from_float(child)
    setattr(parent, name, observed)
    if not issubclass(observed_class, tuple(silent)):
        _insert_activation_post_process(observed)


@deprecated
def prepare(
    model, inplace=False, allow_list=None, observer_non_leaf_module_list=None, prepare_custom_config_dict=None
):
    """A model with observers, for looking at the numbers of example inputs.

    Args:
        model: the model; its ``qconfig``, or those of its parts, say what observers there are.
        inplace: changes the model itself.
        allow_list: classes of modules to observe.
        observer_non_leaf_module_list: classes of modules with parts to observe as a whole.
        prepare_custom_config_dict: classes of modules that become others to be observed.
    """
    custom = get_default_custom_config_dict() if prepare_custom_config_dict is None else prepare_custom_config_dict
    mapping = custom.get("float_to_observed_custom_module_class", {})
    if not inplace:
        model = copy.deepcopy(model)
    wanted = get_default_qconfig_propagation_list() if allow_list is None else allow_list
    propagate_qconfig_(model, qconfig_dict=None)
    if not any(getattr(module, "qconfig", None) for module in model.modules()):
        import warnings

        warnings.warn(
            "None of the submodule got qconfig applied. Make sure you passed correct configuration through `qconfig_dict` or "
            "by assigning the `.qconfig` attribute directly on submodules",
            stacklevel=3,
        )
    _add_observer_(model, wanted, observer_non_leaf_module_list, custom_module_class_mapping=mapping)
    return model


def _remove_activation_post_process(module):
    """Takes the observer of a module away."""
    if hasattr(module, "activation_post_process") and _is_activation_post_process(module.activation_post_process):
        delattr(module, "activation_post_process")
    for hooks, own in (
        (module._forward_hooks, _observer_forward_hook), (module._forward_pre_hooks, _observer_forward_pre_hook),
    ):
        for handle, hook in list(hooks.items()):
            if hook is own:
                hooks.pop(handle)


def _remove_qconfig(module):
    """Takes the configurations of a model away, and the observers that are left."""
    for child in module.children():
        _remove_qconfig(child)
    if hasattr(module, "qconfig"):
        del module.qconfig
    _remove_activation_post_process(module)


def add_quant_dequant(module):
    """A model whose modules with configurations and without parts quantize their input and give plain numbers."""
    if has_no_children_ignoring_parametrizations(module) and hasattr(module, "qconfig") and module.qconfig:
        return QuantWrapper(module)
    for name, child in module.named_children():
        module._modules[name] = add_quant_dequant(child)
    return module


@deprecated
def quantize(model, run_fn, run_args, mapping=None, inplace=False):
    """A quantized model: observes what ``run_fn(model, *run_args)`` shows it, and replaces its modules."""
    if mapping is None:
        mapping = get_default_static_quant_module_mappings()
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    prepare(model, inplace=True)
    run_fn(model, *run_args)
    convert(model, mapping, inplace=True)
    return model


@deprecated
def quantize_dynamic(model, qconfig_spec=None, dtype=torch.qint8, mapping=None, inplace=False):
    """A model whose weights are quantized, and whose inputs are as they come.

    Args:
        model: the model.
        qconfig_spec: configurations by path or class, or a set of paths and classes that get the usual one.
        dtype: of the weights where `qconfig_spec` does not say.
        mapping: which class takes the place of which.
        inplace: changes the model itself.

    Raises:
        ValueError: there is no usual configuration for the dtype.
        RuntimeError: there is none for these classes.
    """
    kinds = (torch.nn.Linear, torch.nn.LSTM, torch.nn.GRU, torch.nn.LSTMCell, torch.nn.RNNCell, torch.nn.GRUCell)
    tables = (torch.nn.EmbeddingBag, torch.nn.Embedding)
    usual = {
        torch.qint8: (default_dynamic_qconfig, kinds),
        torch.float16: (float16_dynamic_qconfig, kinds),
        torch.quint8: (float_qparams_weight_only_qconfig, tables),
        torch.quint4x2: (float_qparams_weight_only_qconfig_4bit, (torch.nn.EmbeddingBag,)),
    }
    if qconfig_spec is None:
        if dtype not in usual:
            raise ValueError(
                f"Don't know how to quantize with default settings for {dtype}. Provide full qconfig please"
            )
        qconfig, classes = usual[dtype]
        qconfig_spec = dict.fromkeys(classes, qconfig)
    elif isinstance(qconfig_spec, set):
        if dtype not in usual:
            raise RuntimeError("Unknown dtype specified for quantize_dynamic: ", str(dtype))
        qconfig_spec = dict.fromkeys(qconfig_spec, usual[dtype][0])
    if mapping is None:
        mapping = get_default_dynamic_quant_module_mappings()
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    propagate_qconfig_(model, qconfig_spec)
    convert(model, mapping, inplace=True)
    return model


@deprecated
def prepare_qat(model, mapping=None, inplace=False):
    """A model that trains with numbers rounded as they will be quantized.

    Args:
        model: the model, in training mode.
        mapping: which class takes the place of which.
        inplace: changes the model itself.
    """
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    if mapping is None:
        mapping = get_default_qat_module_mappings()
    if not inplace:
        model = copy.deepcopy(model)
    propagate_qconfig_(model, qconfig_dict=None)
    convert(model, mapping=mapping, inplace=True, remove_qconfig=False)
    prepare(model, observer_non_leaf_module_list=set(mapping.values()), inplace=True)
    return model


@deprecated
def quantize_qat(model, run_fn, run_args, inplace=False):
    """A quantized model: trains it by ``run_fn(model, *run_args)`` with numbers rounded, and replaces its modules."""
    if not inplace:
        model = copy.deepcopy(model)
    model.train()
    prepare_qat(model, inplace=True)
    run_fn(model, *run_args)
    convert(model, inplace=True)
    return model


@deprecated
def convert(
    module,
    mapping=None,
    inplace=False,
    remove_qconfig=True,
    is_reference=False,
    convert_custom_config_dict=None,
    use_precomputed_fake_quant=False,
):
    """A model whose observed modules are replaced by quantized ones.

    Args:
        module: the model.
        mapping: which class takes the place of which.
        inplace: changes the model itself.
        remove_qconfig: takes the configurations away.
        is_reference: gives modules that keep their quantized weights unpacked.
        convert_custom_config_dict: classes of modules that know themselves how they are quantized.
        use_precomputed_fake_quant: whether observers of weights have seen them already.
    """
    if not inplace:
        module = copy.deepcopy(module)
    _convert(
        module, mapping, inplace=True, is_reference=is_reference, convert_custom_config_dict=convert_custom_config_dict,
        use_precomputed_fake_quant=use_precomputed_fake_quant,
    )
    if remove_qconfig:
        _remove_qconfig(module)
    return module


def _convert(
    module,
    mapping=None,
    inplace=False,
    is_reference=False,
    convert_custom_config_dict=None,
    use_precomputed_fake_quant=False,
):
    """Replaces the modules below one."""
    from ..nn import intrinsic as nni

    if mapping is None:
        mapping = (
            get_default_static_quant_reference_module_mappings() if is_reference else get_default_static_quant_module_mappings()
        )
    if convert_custom_config_dict is None:
        convert_custom_config_dict = get_default_custom_config_dict()
    customs = convert_custom_config_dict.get("observed_to_quantized_custom_module_class", {})
    if not inplace:
        module = copy.deepcopy(module)
    for name, child in list(module.named_children()):
        if not isinstance(child, nni._FusedModule) and type(child) not in customs:
            _convert(child, mapping, True, is_reference, convert_custom_config_dict, use_precomputed_fake_quant)
        module._modules[name] = swap_module(child, mapping, customs, use_precomputed_fake_quant)
    return module


def swap_module(mod, mapping, custom_module_class_mapping, use_precomputed_fake_quant=False):
    """The quantized module for one that has a configuration and is in the mapping; others as they are."""
    if getattr(mod, "qconfig", None) is None:
        return mod
    kind = type(mod)
    if kind in custom_module_class_mapping:
        made = custom_module_class_mapping[kind].from_observed(mod)
    elif kind in mapping:
        target = mapping[kind]
        takes = inspect.signature(target.from_float).parameters
        options = {}
        if "use_precomputed_fake_quant" in takes:
            options["use_precomputed_fake_quant"] = use_precomputed_fake_quant
        qparams = [_weight_qparams(mod)] if {"weight_qparams", "weight_qparams_dict"}.intersection(takes) else []
        made = target.from_float(mod, *qparams, **options)
    else:
        return mod
    # What is to happen around the module still does, but for its observer.
    for hook in mod._forward_pre_hooks.values():
        made.register_forward_pre_hook(hook)
    for hook in mod._forward_hooks.values():
        if hook is not _observer_forward_hook:
            made.register_forward_hook(hook)
    return made


def _weight_qparams(mod):
    """How the weight of a module is quantized; of a recurrent one all weights, by their names."""

    def of(weight):
        observer = mod.qconfig.weight()
        observer(weight)
        return _observed_qparams(observer)

    if isinstance(mod, (torch.nn.RNNBase, torch.nn.RNNCellBase)):
        return {name: of(weight) for name, weight in mod.named_parameters() if name.startswith("weight")}
    return of(mod.weight)


def _observed_qparams(observer):
    """How a weight is quantized by what its observer has seen; weights in half precision have no scale."""
    if observer.dtype == torch.float16:
        return {"qscheme": None, "dtype": torch.float16}
    return get_qparam_dict(observer)


def _get_observer_dict(mod, target_dict, prefix=""):
    """Collects the observers of a model by their paths."""
    path = prefix + "." if prefix else prefix
    if hasattr(mod, "activation_post_process"):
        target_dict[path + "activation_post_process"] = mod.activation_post_process
    for name, child in mod.named_children():
        _get_observer_dict(child, target_dict, path + name)


publish(globals())
