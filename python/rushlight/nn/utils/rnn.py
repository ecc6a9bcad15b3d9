"""Sequences of different lengths: padded, packed, and back."""

from typing import List, NamedTuple, Optional, Tuple, Union

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence",
]


def bind(optional, fn):
    """A function of something, or None for None."""
    return None if optional is None else fn(optional)


class PackedSequence_(NamedTuple):
    """The fields of a packed sequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Optional[Tensor]
    unsorted_indices: Optional[Tensor]


class PackedSequence(PackedSequence_):
    """The steps of sequences one after the other: first all first steps, longest sequence first, then all second ones."""

    __annotations__ = PackedSequence_.__annotations__

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if batch_sizes is None:
            assert isinstance(data, (list, tuple)) and len(data) == 2, "Expected data to be a list or tuple of length 2"
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
                "They should be instantiated by functions like pack_sequence and pack_padded_sequences in "
                "nn.utils.rnn. https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with_data(self, data):
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def to(self, *args, **kwargs):
        """The same steps with another dtype."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with_data(data)

    def cpu(self, *args, **kwargs):
        """The same steps in the memory of the processor."""
        return self.to("cpu")

    def double(self):
        """The steps as float64."""
        return self.to(dtype=torch.double)

    def float(self):
        """The steps as float32."""
        return self.to(dtype=torch.float)

    def half(self):
        """The steps as float16."""
        return self.to(dtype=torch.half)

    def long(self):
        """The steps as int64."""
        return self.to(dtype=torch.long)

    def int(self):
        """The steps as int32."""
        return self.to(dtype=torch.int)

    def short(self):
        """The steps as int16."""
        return self.to(dtype=torch.short)

    def char(self):
        """The steps as int8."""
        return self.to(dtype=torch.int8)

    def byte(self):
        """The steps as uint8."""
        return self.to(dtype=torch.uint8)

    def pin_memory(self):
        """The sequence itself: there is no device to copy to."""
        return self

    def is_pinned(self):
        """Whether the memory is pinned: never."""
        return False

    @property
    def is_cuda(self):
        """Whether the steps are on a GPU: never."""
        return False


def invert_permutation(permutation: Optional[Tensor]) -> Optional[Tensor]:
    """The permutation that undoes another."""
    if permutation is None:
        return None
    output = torch.empty_like(permutation, memory_format=torch.contiguous_format)
    return output.scatter_(0, permutation, torch.arange(0, permutation.numel(), device=permutation.device))


# Traces name what they record after the variables here.
def pack_padded_sequence(
    input: Tensor, lengths: Union[Tensor, List[int]], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs sequences that are padded to one length."""
    if isinstance(lengths, Tensor):
        lengths = lengths.to(dtype=torch.int64)
    else:
        lengths = torch.as_tensor(lengths, dtype=torch.int64)
    sorted_indices: Optional[Tensor] = None
    if not enforce_sorted:
        lengths, sorted_indices = torch.sort(lengths, descending=True)
        sorted_indices = sorted_indices.to(input.device)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    data, batch_sizes = torch._VF._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, sorted_indices, invert_permutation(sorted_indices))


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: Optional[int] = None
) -> Tuple[Tensor, Tensor]:
    """Pads packed sequences to one length, and says what the lengths were."""
    max_seq_length = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < max_seq_length:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, "
                f"but got total_length={total_length} and max sequence length being {max_seq_length}"
            )
        max_seq_length = total_length
    padded_output, lengths = torch._VF._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, max_seq_length
    )
    unsorted_indices = sequence.unsorted_indices
    if unsorted_indices is None:
        return padded_output, lengths
    padded_output = padded_output.index_select(0 if batch_first else 1, unsorted_indices)
    unsorted_indices = unsorted_indices.to(lengths.device)
    return padded_output, lengths[unsorted_indices]


def pad_sequence(
    sequences: Union[Tensor, List[Tensor]],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stacks sequences, padded to the longest."""
    if not torch.jit.is_scripting():
        if not hasattr(sequences, "__iter__"):
            raise RuntimeError(
                f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
            )
        sequences = tuple(sequences)
    else:
        if isinstance(sequences, Tensor):
            sequences = sequences.unbind(0)
    return torch._C._nn.pad_sequence(sequences, batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> List[Tensor]:
    """The sequences that ``pad_sequence`` has stacked, which is turned in place where batches come second."""
    rows = padded_sequences if batch_first else padded_sequences.transpose_(0, 1)
    return [row[: int(length)] for row, length in zip(rows.unbind(0), lengths.unbind(0))]


def pack_sequence(sequences: List[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences of different lengths."""
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> List[Tensor]:
    """The sequences that ``pack_sequence`` has packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


publish(globals())
