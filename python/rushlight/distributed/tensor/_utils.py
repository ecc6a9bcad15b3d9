"""Helpers of tensors in parts, which are not part of this version."""

from ..._absent import refuse

refuse(globals(), ("compute_local_shape_and_global_offset", "compute_global_tensor_info", "compute_local_tensor_info"), NotImplementedError,
       lambda name: f"torch.distributed.tensor: {name}: tensors in parts on several machines are not part of Rushlight")
