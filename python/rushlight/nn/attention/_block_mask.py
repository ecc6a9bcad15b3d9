"""``BlockMask``: which blocks of queries see which blocks of keys."""

import math

import rushlight as torch

_DEFAULT_SPARSE_BLOCK_SIZE = 128
_NAMES = (
    "kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices", "full_q_num_blocks",
    "full_q_indices",
)
_SLICED = """Cannot use mask_mod from a sliced BlockMask. When you slice a BlockMask using [], the mask_mod attribute is reset. \
You must set it from the original BlockMask's mask_mod.

Incorrect usage:
  base_mask = create_block_mask(my_mask_fn, ...)
  sliced_mask = base_mask[:, :, block_idx]
  sliced_mask.mask_mod = apply_offset(sliced_mask.mask_mod, offset)  # WRONG!

Correct usage:
  base_mask = create_block_mask(my_mask_fn, ...)
  sliced_mask = base_mask[:, :, block_idx]
  sliced_mask.mask_mod = apply_offset(base_mask.mask_mod, offset)  # Use base_mask!"""


def noop_mask(batch, head, token_q, token_kv):
    """Every query sees every key."""
    return batch.new_ones(size=(), dtype=torch.bool)


def sliced_mask_mod(batch, head, token_q, token_kv):
    """What takes the place of the rule of a mask of which a part was taken."""
    raise RuntimeError(_SLICED)


def ordered(dense):
    """How many blocks each row has, and the numbers of all blocks, those it has first."""
    count = dense.sum(-1).to(torch.int32)
    return count, torch.argsort(dense.to(torch.int32), dim=-1, descending=True, stable=True).to(torch.int32)


def dense_of(count, indices, columns):
    """Ones where rows have blocks, as int32."""
    rows = indices.shape[-2]
    out = torch.zeros(*indices.shape[:-2], rows, columns + 1, dtype=torch.int32)
    valid = torch.arange(indices.shape[-1]) < count.unsqueeze(-1)
    # What a row does not have goes to a column that is cut off.
    places = torch.where(valid, indices.to(torch.int64), columns)
    return out.scatter(-1, places, 1)[..., :columns].contiguous()


def _cut(count, indices, rows, columns):
    """The first rows and columns of blocks."""
    indices = indices[:, :, :rows, :columns]
    kept = (torch.arange(indices.shape[-1]) < count[:, :, :rows].unsqueeze(-1)) & (indices < columns)
    dense = dense_of(count[:, :, :rows], indices, columns) if bool(kept.any()) else None
    if dense is None:
        return torch.zeros_like(count[:, :, :rows]), indices
    return torch.minimum(dense.sum(-1).to(torch.int32), count[:, :, :rows]), indices


class BlockMask:
    """Blocks that attention computes: for each row of queries the number of blocks of keys, and which.

    ``kv_*`` are the blocks of which ``mask_mod`` decides element by element, ``full_kv_*`` those that are seen whole; ``q_*`` are the
    same by column. Tensors have sizes ``[B, H, rows]`` (numbers) and ``[B, H, rows, columns]`` (which).
    """

    def __init__(
        self, seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, q_num_blocks, q_indices, full_q_num_blocks,
        full_q_indices, BLOCK_SIZE=(128, 128), mask_mod=noop_mask, *, dq_write_order=None, dq_write_order_full=None, dq_kv_order=None,
        dq_kv_order_spt=None,
    ):
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        if (full_q_num_blocks is None) != (full_q_indices is None):
            raise AssertionError("full_q_num_blocks and full_q_indices must be both provided or omitted")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod
        self.dq_write_order, self.dq_write_order_full, self.dq_kv_order = dq_write_order, dq_write_order_full, dq_kv_order
        self.dq_kv_order_spt = dq_kv_order_spt

    @classmethod
    def from_kv_blocks(
        cls, kv_num_blocks, kv_indices, full_kv_num_blocks=None, full_kv_indices=None, BLOCK_SIZE=128, mask_mod=None, seq_lengths=None,
        compute_q_blocks=True, *, dq_write_order=None, dq_write_order_full=None, dq_kv_order=None,
    ):
        """A mask from the blocks of each row; those of each column follow from them."""
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        if isinstance(BLOCK_SIZE, int):
            BLOCK_SIZE = (BLOCK_SIZE, BLOCK_SIZE)
        columns = kv_indices.shape[-1]
        by_column = [None] * 4
        if compute_q_blocks:
            by_column[:2] = ordered(dense_of(kv_num_blocks, kv_indices, columns).transpose(-2, -1))
            if full_kv_num_blocks is not None:
                by_column[2:] = ordered(dense_of(full_kv_num_blocks, full_kv_indices, columns).transpose(-2, -1))
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * BLOCK_SIZE[0], columns * BLOCK_SIZE[1])
        return cls(
            seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *by_column, BLOCK_SIZE=BLOCK_SIZE,
            mask_mod=mask_mod if mask_mod is not None else noop_mask,
        )

    def as_tuple(self, flatten=True):
        """All parts in a tuple."""
        size = self.BLOCK_SIZE if flatten else (self.BLOCK_SIZE,)
        lengths = self.seq_lengths if flatten else (self.seq_lengths,)
        orders = (self.dq_write_order, self.dq_write_order_full, self.dq_kv_order, self.dq_kv_order_spt)
        return (*lengths, *(getattr(self, name) for name in _NAMES), *orders, *size, self.mask_mod)

    @property
    def shape(self):
        """Sizes before the rows, then the numbers of queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def __str__(self):
        text = f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
        return text + self.to_string().strip() + "\n)"

    def __repr__(self):
        def shown(value):
            return str(value.shape) if isinstance(value, torch.Tensor) else str(value)

        lines = [f"    {name}={shown(getattr(self, name))}" for name in _NAMES]
        lines += [
            f"    BLOCK_SIZE={self.BLOCK_SIZE}", f"    shape={self.shape}", f"    sparsity={self.sparsity():.2f}%",
            f"    mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}",
        ]
        return "BlockMask(\n" + ",\n".join(lines) + "\n)"

    def __getitem__(self, index):
        """The mask of some batches, heads and rows of blocks; its rule has to be set anew."""
        index = index if isinstance(index, tuple) else (index,)
        if len(index) > 3:
            raise IndexError("BlockMask indexing supports batch, head, and Q-block dimensions")
        index = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in index)
        parts = [None if (part := getattr(self, name)) is None else part[index] for name in _NAMES[:4]]
        lengths = self.seq_lengths
        if len(index) == 3:
            rows = parts[1].shape[-2]
            last = self.kv_indices.shape[-2] * self.BLOCK_SIZE[0]
            lengths = (min(rows * self.BLOCK_SIZE[0], last), lengths[1])
        return BlockMask.from_kv_blocks(
            *parts, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=sliced_mask_mod, seq_lengths=lengths,
            compute_q_blocks=self.q_indices is not None,
        )

    def _adjust(self, new_q_len, new_kv_len):
        """The mask of the first queries and keys."""
        rows = math.ceil(new_q_len / self.BLOCK_SIZE[0])
        columns = math.ceil(new_kv_len / self.BLOCK_SIZE[1])
        parts = [*_cut(self.kv_num_blocks, self.kv_indices, rows, columns)]
        parts += [None, None] if self.full_kv_num_blocks is None else _cut(self.full_kv_num_blocks, self.full_kv_indices, rows, columns)
        return BlockMask.from_kv_blocks(
            *parts, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod, seq_lengths=(new_q_len, new_kv_len)
        )

    def numel(self):
        """How many pairs of queries and keys there are."""
        return math.prod(self.shape)

    def sparsity(self):
        """How many per cent of the blocks are not computed."""
        blocks = int(self.kv_num_blocks.sum())
        if self.full_kv_num_blocks is not None:
            blocks += int(self.full_kv_num_blocks.sum())
        rows = math.ceil(self.seq_lengths[0] / self.BLOCK_SIZE[0])
        columns = math.ceil(self.seq_lengths[1] / self.BLOCK_SIZE[1])
        return 100 * (1 - blocks / (math.prod(self.kv_indices.shape[:-2]) * rows * columns))

    def to_dense(self):
        """Ones for blocks that are computed."""
        columns = self.kv_indices.shape[-1]
        found = dense_of(self.kv_num_blocks, self.kv_indices, columns)
        if self.full_kv_num_blocks is not None:
            found = found | dense_of(self.full_kv_num_blocks, self.full_kv_indices, columns)
        return found

    def to_string(self, grid_size=(20, 20), limit=4):
        """The blocks as a picture for each batch and head, at most ``limit`` of them."""
        if isinstance(grid_size, int):
            grid_size = None if grid_size == -1 else (grid_size, grid_size)
        dense = self.to_dense()
        outer = dense.shape[:-2]
        lines, places = [], list(_places(outer))
        for number, place in enumerate(places):
            if number == limit:
                lines += [
                    "...", "To print out more, set BlockMask.to_string(limit=N)",
                    "You can also index (BlockMask[batch, head]) to choose a specific batch or head",
                ]
                break
            lines.append(str(place))
            lines += _picture(dense[place], grid_size)
            lines.append("")
        return "\n".join(lines)

    def to(self, device):
        """The mask with its tensors on a device."""
        moved = [None if (part := getattr(self, name)) is None else part.to(device) for name in _NAMES]
        return BlockMask(self.seq_lengths, *moved, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)


def _places(sizes):
    if not sizes:
        yield ()
        return
    for i in range(sizes[0]):
        for rest in _places(sizes[1:]):
            yield (i, *rest)


def _picture(grid, size):
    rows, columns = grid.shape
    step_down = 1 if size is None else max(1, math.ceil(rows / size[0]))
    step_right = 1 if size is None else max(1, math.ceil(columns / size[1]))
    out = []
    for r in range(0, rows, step_down):
        line = ""
        for c in range(0, columns, step_right):
            part = grid[r : r + step_down, c : c + step_right].double().mean().item()
            line += "██" if part == 1 else "  " if part == 0 else "░░"
        out.append(line)
    return out


BlockMask.__module__ = noop_mask.__module__ = "torch.nn.attention.flex_attention"
