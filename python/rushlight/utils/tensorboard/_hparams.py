"""Hyperparameters and what came of them, as summaries of TensorBoard."""

from google.protobuf import struct_pb2
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

from ... import Tensor
from ._convert_np import make_np


def _content(tag, data):
    data.version = metadata.PLUGIN_DATA_VERSION
    plugin = SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString())
    return Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=plugin))])


def _number(value):
    return make_np(value).squeeze().item() if isinstance(value, Tensor) else value


def _kind(name, value):
    if isinstance(value, (int, float)):
        return "DATA_TYPE_FLOAT64"
    if isinstance(value, str):
        return "DATA_TYPE_STRING"
    raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")


def _value(value):
    return struct_pb2.Value(string_value=value) if isinstance(value, str) else struct_pb2.Value(number_value=value)


def _infos(given, values, domains):
    for name, value in values.items():
        info = api_pb2.HParamInfo(name=name, type=_kind(name, value))
        if name in domains:
            choices = domains[name]
            if not isinstance(choices, list) or not all(isinstance(choice, type(given[name])) for choice in choices):
                raise TypeError(
                    f"parameter: hparam_domain_discrete[{name}] should be a list of same type as hparam_dict[{name}]."
                )
            info.domain_discrete.CopyFrom(struct_pb2.ListValue(values=[_value(_number(choice)) for choice in choices]))
        yield info


def hparams(hparam_dict, metric_dict, hparam_domain_discrete=None):
    """Three summaries: what is varied and measured, the values of this run, and that it has ended."""
    for given in (hparam_dict, metric_dict):
        if not isinstance(given, dict):
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
    domains = hparam_domain_discrete or {}
    values = {name: _number(value) for name, value in hparam_dict.items() if value is not None}
    experiment = api_pb2.Experiment(
        hparam_infos=list(_infos(hparam_dict, values, domains)),
        metric_infos=[api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metric_dict],
    )
    start = plugin_data_pb2.SessionStartInfo()
    for name, value in values.items():
        start.hparams[name].CopyFrom(_value(value))
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    data = plugin_data_pb2.HParamsPluginData
    return (
        _content(metadata.EXPERIMENT_TAG, data(experiment=experiment)),
        _content(metadata.SESSION_START_INFO_TAG, data(session_start_info=start)),
        _content(metadata.SESSION_END_INFO_TAG, data(session_end_info=end)),
    )
