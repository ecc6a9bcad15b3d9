"""``torch.nested``: tensors of tensors of different sizes, which are not part of this version. Making one raises."""

from ._absent import refuse

refuse(globals(), ("nested_tensor", "nested_tensor_from_jagged", "as_nested_tensor", "to_padded_tensor", "narrow", "masked_select"),
       NotImplementedError, lambda name: (
    f"torch.nested.{name}: nested tensors are not part of Rushlight; torch.nn.utils.rnn.pad_sequence pads sequences to one tensor"
))
