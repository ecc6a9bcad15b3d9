"""A group of processes and its collectives, over the connections of ``_mesh.py``.

Reductions go through the members in the order of their ranks, element by element the same on all, so that the bits of a
result depend neither on who computes it nor on when messages come. Short tensors are sent to everybody, who reduces them;
of long ones each member reduces a part, and sends it to the others.
"""

import ctypes
import datetime
import hashlib
import threading

from .. import _rushlight
from ._mesh import PIECE
from ._reduce_op import RedOpType, kind_of
from ._work import Work, Worker, deadline_in

__all__ = ["ProcessGroup"]

Tensor = _rushlight.Tensor

# A tensor of so many bytes goes to everybody as it is.
_SHORT = 1 << 15
_REDUCED = frozenset(("float32", "float64", "float16", "bfloat16", "int8", "uint8", "bool", "int32", "int64", "complex64", "complex128"))


def _combine_sum(a, b):
    a.add_(b)


def _combine_product(a, b):
    a.mul_(b)


def _combine_min(a, b):
    a.copy_(a.minimum(b))


def _combine_max(a, b):
    a.copy_(a.maximum(b))


def _combine_and(a, b):
    a.bitwise_and_(b)


def _combine_or(a, b):
    a.bitwise_or_(b)


def _combine_xor(a, b):
    a.bitwise_xor_(b)


_COMBINE = {
    RedOpType.SUM: _combine_sum, RedOpType.AVG: _combine_sum, RedOpType.PRODUCT: _combine_product,
    RedOpType.MIN: _combine_min, RedOpType.MAX: _combine_max, RedOpType.BAND: _combine_and, RedOpType.BOR: _combine_or,
    RedOpType.BXOR: _combine_xor,
}
# Truth values, which have no sums.
_COMBINE_TRUTH = {
    RedOpType.SUM: _combine_or, RedOpType.PRODUCT: _combine_and, RedOpType.MIN: _combine_and, RedOpType.MAX: _combine_or,
}


def _flat(tensor):
    """The elements of a tensor in one row: over its memory if they lie so, else a copy."""
    tensor = tensor.detach()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    return tensor.contiguous().view(-1)


def _pieces(flat):
    """The bytes of a row of elements as views, each for a frame."""
    size = flat.numel() * flat.element_size()
    if not size:
        return [memoryview(b"")]
    memory = memoryview((ctypes.c_char * size).from_address(flat.data_ptr())).cast("B")
    return [memory[at : at + PIECE] for at in range(0, size, PIECE)]


def _count(size):
    """How many frames so many bytes take."""
    return max(1, -(-size // PIECE))


def _sizes(tensor):
    return "(" + ", ".join(str(n) for n in tensor.shape) + ")"


def _options(tensor):
    """How the reference tells the kind of a tensor."""
    names = {
        "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int",
        "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
        "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
    }
    name = str(tensor.dtype).removeprefix("torch.")
    return (
        f"TensorOptions(dtype={names.get(name, name)}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


def _await_message(mesh, slots, until, what, limit):
    try:
        mesh.await_slots(slots, until, what, limit)
    except TimeoutError as error:
        raise RuntimeError(str(error)) from None


class _Turn:
    """One collective: a number on the channel of its group, and a deadline."""

    def __init__(self, group, timeout):
        self.mesh, self.ranks, self.me = group._mesh, group._ranks, group._rank
        self.channel, self.number = group._channel, group._next()
        self.timeout = timeout
        self.deadline = None
        self.tickets = []
        # Whether this member has fallen out of step with the others.
        self.lost = False

    def begin(self):
        """The time runs from here."""
        self.deadline = deadline_in(self.timeout)

    def post(self, member, size):
        """Asks for so many bytes of a member."""
        return [self.mesh.post(self.ranks[member], self.channel, self.number) for _ in range(_count(size))]

    def send(self, member, flat):
        """Sends a row of elements, whose memory must stay as it is until the end of the turn."""
        self.tickets.append(self.mesh.send(self.ranks[member], self.channel, self.number, _pieces(flat), keep=flat))

    def read(self, slot, like):
        """A row of elements of a frame that was asked for, laid out as `like`."""
        self._await([slot], "recv")
        size = like.numel() * like.element_size()
        if len(slot.data) != size:
            self.lost = True
            raise RuntimeError(
                f"rank {self.mesh.rank} received {len(slot.data)} bytes from rank {slot.source} where it expected {size}: all "
                "ranks must call the same collectives in the same order, with tensors of the same sizes"
            )
        return _from_bytes(slot.data, like.dtype) if size else like

    def receive(self, slots, flat):
        """Writes what was asked for into a row of elements."""
        step = PIECE // flat.element_size()
        for i, slot in enumerate(slots):
            part = flat[i * step : (i + 1) * step]
            got = self.read(slot, part)
            if part.numel():
                part.copy_(got)

    def end(self):
        """Waits until all is sent."""
        if self.tickets:
            self._await(self.tickets, "send")
            self.tickets.clear()

    def _await(self, slots, what):
        try:
            self.mesh.await_slots(slots, self.deadline, what, self.timeout)
        except TimeoutError as error:
            self.lost = True
            raise RuntimeError(str(error)) from None


def _from_bytes(data, dtype):
    from .. import frombuffer

    return frombuffer(data, dtype=dtype)


def _joined(parts):
    from .. import cat

    return cat(parts)


def _pack(tensor, flat):
    """Puts the elements back where they belong."""
    if flat.data_ptr() != tensor.data_ptr() or not tensor.is_contiguous():
        tensor.detach().copy_(flat.view(tensor.shape))


class ProcessGroup:
    """Processes that work together; made by ``init_process_group`` and ``new_group``.

    Its methods take lists of tensors, begin, and return a :class:`Work`; the functions of ``torch.distributed`` are made
    of them.
    """

    def __init__(self, mesh, ranks, rank, name, timeout, backend="gloo", desc="undefined", store=None):
        self._mesh, self._ranks, self._rank = mesh, list(ranks), rank
        self._name, self._backend, self._desc, self._store = name, backend, desc, store
        self._seconds = timeout.total_seconds() if isinstance(timeout, datetime.timedelta) else float(timeout)
        digest = hashlib.sha256(f"{name}|{ranks}".encode()).digest()
        # Collectives, messages between two and monitored barriers have channels of their own.
        self._channel = int.from_bytes(digest[:8], "big") & ~3
        self._turns, self._lock, self._worker = 0, threading.Lock(), None

    # What it is.

    def rank(self):
        """The number of this process in the group."""
        return self._rank

    def size(self):
        """How many processes there are."""
        return len(self._ranks)

    def name(self):
        """The name of the backend."""
        return self._backend

    @property
    def group_name(self):
        """The name of the group."""
        return self._name

    @property
    def group_desc(self):
        """What a program calls the group."""
        return self._desc

    @property
    def bound_device_id(self):
        """The device of the group: none."""
        return None

    def get_group_store(self):
        """The store with which the group has met."""
        return self._store

    def set_timeout(self, timeout):
        """Changes how long collectives may take."""
        self._seconds = timeout.total_seconds()

    def _get_backend_name(self):
        return self._backend

    def _get_sequence_number_for_group(self):
        return self._turns

    # How it works.

    def _next(self):
        with self._lock:
            self._turns += 1
            return self._turns

    def _start(self, function, results, now, timeout=None):
        """Begins a collective: `function` gets its turn. At once with `now`, else by the thread of the group."""
        turn = _Turn(self, self._seconds if timeout is None else timeout)
        work = Work(results)
        if now or len(self._ranks) == 1:
            turn.begin()
            before = _rushlight.set_grad_enabled(False)
            try:
                self._take(turn, function)
            except Exception as error:
                if now:
                    raise
                work._complete(error)
                return work
            finally:
                _rushlight.set_grad_enabled(before)
            work._complete()
            return work
        turn.begin()
        with self._lock:
            if self._worker is None:
                self._worker = Worker(self._name)

        self._worker.add(work, lambda: self._take(turn, function))
        return work

    def _take(self, turn, function):
        """Does a collective. Who falls out of step leaves all connections: nobody is to wait for it in vain."""
        try:
            found = function(turn)
            turn.end()
            return found
        finally:
            if turn.lost:
                self._mesh.fail()

    def _others(self):
        return [r for r in range(len(self._ranks)) if r != self._rank]

    def _check_root(self, what, root):
        if not 0 <= root < len(self._ranks):
            raise RuntimeError(f"ProcessGroupGloo::{what}: invalid root rank: {root}")

    def _check_alike(self, what, like, tensors):
        for i, tensor in enumerate(tensors):
            if tensor.dtype != like.dtype:
                raise RuntimeError(
                    f"ProcessGroupGloo::{what}: invalid tensor type at index {i} (expected {_options(like)}, got {_options(tensor)})"
                )
            if tensor.shape != like.shape:
                raise RuntimeError(
                    f"ProcessGroupGloo::{what}: invalid tensor size at index {i} (expected {_sizes(like)}, got {_sizes(tensor)})"
                )

    def _combining(self, tensor, op):
        """What adds one tensor to another in the way of `op`."""
        name = str(tensor.dtype).removeprefix("torch.")
        if name not in _REDUCED:
            raise RuntimeError("Invalid scalar type")
        if op in (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR) and (tensor.is_floating_point() or tensor.is_complex()):
            raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
        return _COMBINE_TRUTH.get(op, _COMBINE[op]) if name == "bool" else _COMBINE[op]

    def _reduce_parts(self, turn, own, slots, combine):
        """The tensors of all members put together in the order of ranks: a new row of elements."""
        total = None
        for member in range(len(self._ranks)):
            part = own if member == self._rank else turn.read(slots[member], own)
            if total is None:
                # What was read is nobody else's.
                total = part.clone() if member == self._rank else part
            elif part.numel():
                combine(total, part)
        return total

    def _reduce_all(self, turn, flat, combine):
        """Puts the rows of all members together, in place."""
        count, size = len(self._ranks), flat.numel() * flat.element_size()
        if size <= _SHORT or flat.numel() < count:
            own = flat.clone()
            slots = {r: turn.post(r, size)[0] for r in self._others()}
            for r in self._others():
                turn.send(r, own)
            total = self._reduce_parts(turn, own, slots, combine)
            if flat.numel():
                flat.copy_(total)
            return
        bounds = [flat.numel() * r // count for r in range(count + 1)]
        rows = [flat[bounds[r] : bounds[r + 1]] for r in range(count)]
        own, step = rows[self._rank], PIECE // flat.element_size()
        wide = own.element_size()
        slots = {r: turn.post(r, own.numel() * wide) for r in self._others()}
        results = {r: turn.post(r, rows[r].numel() * wide) for r in self._others()}
        for r in self._others():
            turn.send(r, rows[r])
        for i in range(_count(own.numel() * wide)):
            piece = own[i * step : (i + 1) * step]
            piece.copy_(self._reduce_parts(turn, piece, {r: found[i] for r, found in slots.items()}, combine))
            for r in self._others():
                turn.send(r, piece)
        # What comes back from a member says that it has read what this one has sent it.
        for r in self._others():
            turn.receive(results[r], rows[r])

    # Collectives.

    def allreduce(self, tensors, op=RedOpType.SUM, now=False):
        """Puts the tensors of all members together; all get the result."""
        tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
        op = kind_of(getattr(op, "reduceOp", op))
        combine = [self._combining(tensor, op) for tensor in tensors]

        def run(turn):
            for tensor, how in zip(tensors, combine):
                flat = _flat(tensor)
                self._reduce_all(turn, flat, how)
                if op is RedOpType.AVG:
                    flat.div_(len(self._ranks))
                _pack(tensor, flat)

        return self._start(run, tensors, now)

    allreduce_coalesced = allreduce

    def reduce(self, tensor, root=0, op=RedOpType.SUM, now=False):
        """Puts the tensors of all members together; one gets the result."""
        tensor = tensor[0] if isinstance(tensor, (list, tuple)) else tensor
        self._check_root("reduce", root)
        op = kind_of(op)
        combine = self._combining(tensor, op)

        def run(turn):
            flat = _flat(tensor)
            if self._rank != root:
                turn.send(root, flat)
                return
            size, step = flat.numel() * flat.element_size(), PIECE // flat.element_size()
            slots = {r: turn.post(r, size) for r in self._others()}
            for i in range(_count(size)):
                piece = flat[i * step : (i + 1) * step]
                total = self._reduce_parts(turn, piece, {r: found[i] for r, found in slots.items()}, combine)
                if piece.numel():
                    piece.copy_(total)
            if op is RedOpType.AVG:
                flat.div_(len(self._ranks))
            _pack(tensor, flat)

        return self._start(run, [tensor], now)

    def broadcast(self, tensor, root=0, now=False):
        """Gives the tensor of one member to all."""
        tensor = tensor[0] if isinstance(tensor, (list, tuple)) else tensor
        self._check_root("broadcast", root)

        def run(turn):
            flat = _flat(tensor)
            if self._rank == root:
                for r in self._others():
                    turn.send(r, flat)
                return
            turn.receive(turn.post(root, flat.numel() * flat.element_size()), flat)
            _pack(tensor, flat)

        return self._start(run, [tensor], now)

    def _swap(self, turn, sent, received):
        """Sends a tensor to each member and receives one of each: ``{member: tensor}``."""
        flats = {r: _flat(tensor) for r, tensor in received.items()}
        slots = {r: turn.post(r, flat.numel() * flat.element_size()) for r, flat in flats.items() if r != self._rank}
        for r, tensor in sent.items():
            if r != self._rank:
                turn.send(r, _flat(tensor))
        for r, flat in flats.items():
            if r == self._rank:
                received[r].detach().copy_(sent[r].detach().view(received[r].shape))
            else:
                turn.receive(slots[r], flat)
                _pack(received[r], flat)

    def _everybody(self, tensors):
        return dict(enumerate(tensors))

    def allgather(self, outputs, inputs, now=False):
        """Gives the tensor of each member to all."""
        if outputs and isinstance(outputs[0], (list, tuple)):
            outputs, inputs = list(outputs[0]), inputs[0]
        if len(outputs) != len(self._ranks):
            raise RuntimeError(
                f"ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length {len(self._ranks)}, got "
                f"{len(outputs)})"
            )
        self._check_alike("allgather", inputs, outputs)

        def run(turn):
            own = inputs.detach().clone()
            self._swap(turn, {r: own for r in range(len(self._ranks))}, self._everybody(outputs))

        return self._start(run, outputs, now)

    def all_gather_single(self, output, tensor, now=False):
        """Gives the tensors of all members to all, one after the other in one tensor."""
        if output.dtype != tensor.dtype:
            self._check_alike("allgather", tensor, [output])
        parts = output.detach().chunk(len(self._ranks)) if output.dim() else [output.detach()]
        self._check_alike("allgather", tensor, parts)
        return self.allgather(list(parts), tensor, now)

    _allgather_base = all_gather_single

    def gather(self, outputs, tensor, root=0, now=False):
        """Gives the tensor of each member to one."""
        self._check_root("gather", root)
        if self._rank == root:
            if len(outputs) != len(self._ranks):
                raise RuntimeError(
                    f"ProcessGroupGloo::gather: Incorrect output list size {len(outputs)}. Output list size should be "
                    f"{len(self._ranks)}, same as size of the process group."
                )
            self._check_alike("gather", tensor, outputs)

        def run(turn):
            if self._rank == root:
                self._swap(turn, {root: tensor}, self._everybody(outputs))
            else:
                self._swap(turn, {root: tensor}, {})

        return self._start(run, outputs or [], now)

    def scatter(self, output, tensors, root=0, now=False):
        """Gives each member a tensor of one."""
        self._check_root("scatter", root)
        if self._rank == root:
            if len(tensors) != len(self._ranks):
                raise RuntimeError(
                    f"ProcessGroupGloo::scatter: Incorrect input list size {len(tensors)}. Input list size should be "
                    f"{len(self._ranks)}, same as size of the process group."
                )
            self._check_alike("scatter", output, tensors)

        def run(turn):
            if self._rank != root:
                self._swap(turn, {}, {root: output})
                return
            for r in self._others():
                turn.send(r, _flat(tensors[r]))
            output.detach().copy_(tensors[root].detach())

        return self._start(run, [output], now)

    def reduce_scatter(self, output, tensors, op=RedOpType.SUM, now=False):
        """Puts the lists of all members together; each gets the tensor of its number."""
        op = kind_of(op)
        if len(tensors) != len(self._ranks):
            raise RuntimeError("invalid input tensor list size, must be world size")
        for tensor in tensors:
            if tensor.shape != output.shape:
                told = " vs. ".join(" ".join(str(n) for n in t.shape) for t in (output, tensor))
                raise RuntimeError(f"Check failed: outputs[0].sizes().vec() == inputs[0][i].sizes().vec() ({told}). ")
        combine = self._combining(output, op)

        def run(turn):
            flats = [_flat(tensor) for tensor in tensors]
            own = flats[self._rank]
            size, step = own.numel() * own.element_size(), PIECE // own.element_size()
            slots = {r: turn.post(r, size) for r in self._others()}
            for r in self._others():
                turn.send(r, flats[r])
            parts = []
            for i in range(_count(size)):
                piece = own[i * step : (i + 1) * step]
                parts.append(self._reduce_parts(turn, piece, {r: found[i] for r, found in slots.items()}, combine))
            turn.end()
            total = parts[0] if len(parts) == 1 else _joined(parts)
            if op is RedOpType.AVG:
                total.div_(len(self._ranks))
            output.detach().copy_(total.view(output.shape))

        return self._start(run, [output], now)

    def reduce_scatter_single(self, output, tensor, op=RedOpType.SUM, now=False):
        """Puts the tensors of all members together; each gets the part of its number."""
        if output.dtype != tensor.dtype:
            names = [_options(t).partition("dtype=")[2].partition(",")[0] for t in (output, tensor)]
            raise RuntimeError(
                f"Check failed: outputTensors[i].dtype() == inputTensors[i].dtype() ({names[0]} vs. {names[1]}). "
            )
        count = len(self._ranks)
        if output.dim() and tensor.dim() and output.shape[1:] == tensor.shape[1:]:
            rows, given = output.shape[0] * count, tensor.shape[0]
        else:
            rows, given = output.numel() * count, tensor.numel()
        if rows != given:
            raise RuntimeError(f"Check failed: outputShape[0] * worldSize == inputShape[0] ({rows} vs. {given}). ")
        parts = [part.view(output.shape) for part in tensor.detach().contiguous().view(count, -1).unbind(0)]
        return self.reduce_scatter(output, parts, op, now)

    _reduce_scatter_base = reduce_scatter_single

    def alltoall(self, outputs, inputs, now=False):
        """Gives each member one tensor, and takes one of each."""
        for what, tensors in (("input", inputs), ("output", outputs)):
            if len(tensors) != len(self._ranks):
                raise RuntimeError(
                    f"ProcessGroupGloo::alltoall: {what} tensor list size {len(tensors)} does not match world size "
                    f"{len(self._ranks)}"
                )

        def run(turn):
            own = [tensor.detach().clone() for tensor in inputs]
            self._swap(turn, self._everybody(own), self._everybody(outputs))

        return self._start(run, outputs, now)

    def all_to_all_single(self, output, tensor, output_splits=(), input_splits=(), now=False):
        """Gives each member a part of one tensor, and puts the parts of all together in another."""
        count = len(self._ranks)
        for given, splits in ((tensor, input_splits), (output, output_splits)):
            if splits:
                if len(splits) != count:
                    raise RuntimeError("Number of tensor splits not equal to group size")
                if sum(splits) != given.shape[0]:
                    raise RuntimeError("Split sizes doesn't match total dim 0 size")
            elif given.shape[0] % count:
                raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        if not output_splits and not input_splits and output.numel() != tensor.numel():
            raise RuntimeError("in->size == out->size. ")
        rows = [
            given.detach().split(list(splits) or [given.shape[0] // count] * count)
            for given, splits in ((output, output_splits), (tensor, input_splits))
        ]

        def run(turn):
            own = [part.clone() for part in rows[1]]
            if rows[0][self._rank].shape != own[self._rank].shape:
                raise RuntimeError(
                    f"rank {self._rank} sends itself {own[self._rank].shape[0]} rows and expects {rows[0][self._rank].shape[0]}"
                )
            self._swap(turn, self._everybody(own), self._everybody(rows[0]))

        return self._start(run, [output], now)

    alltoall_base = all_to_all_single

    def barrier(self, now=False, timeout=None):
        """Waits until all members are here."""
        from .. import empty, uint8

        def run(turn):
            nothing = empty(0, dtype=uint8)
            self._swap(turn, {r: nothing for r in self._others()}, {r: nothing for r in self._others()})

        return self._start(run, [], now, None if timeout is None else timeout.total_seconds())

    # Between two.

    def send(self, tensors, target, tag=0):
        """Sends a tensor to a member."""
        tensor = tensors[0] if isinstance(tensors, (list, tuple)) else tensors
        flat = _flat(tensor)
        ticket = self._mesh_or_refuse(target).send(self._ranks[target], self._channel | 1, tag, _pieces(flat), keep=flat)
        deadline = deadline_in(self._seconds)

        def finish(seconds):
            limit, until = self._limit(seconds, deadline)
            _await_message(self._mesh, [ticket], until, "send", limit)

        return Work([tensor], finish, lambda: ticket.sent or ticket.error is not None)

    def _limit(self, seconds, deadline):
        """The limit of a wait, as it is told, and when it is over."""
        if seconds is None:
            return self._seconds, deadline
        return seconds, min(deadline, deadline_in(seconds))

    def _mesh_or_refuse(self, member):
        if self._mesh is None or member == self._rank or not 0 <= member < len(self._ranks):
            raise RuntimeError(f"there is no connection between rank {self._rank} and rank {member} of the group")
        return self._mesh

    def recv(self, tensors, source, tag=0):
        """Receives a tensor of a member; of any, for None."""
        tensor = tensors[0] if isinstance(tensors, (list, tuple)) else tensors
        mesh = self._mesh if source is None and self._mesh is not None else self._mesh_or_refuse(-1 if source is None else source)
        size = tensor.numel() * tensor.element_size()
        channel = self._channel | 1
        deadline = deadline_in(self._seconds)
        if source is not None or _count(size) == 1:
            world = None if source is None else self._ranks[source]
            slots = [mesh.post(world, channel, tag) for _ in range(_count(size))]
        else:
            # The rest comes from who sends the first.
            slots = [mesh.post(None, channel, tag)]

        def finish(seconds):
            limit, until = self._limit(seconds, deadline)
            try:
                _await_message(mesh, slots[:1], until, "recv", limit)
                while len(slots) < _count(size):
                    slots.append(mesh.post(slots[0].source, channel, tag))
                _await_message(mesh, slots, until, "recv", limit)
            except RuntimeError:
                for slot in slots:
                    mesh.withdraw(None if source is None else self._ranks[source], channel, tag, slot)
                raise
            got = sum(len(slot.data) for slot in slots)
            if got != size:
                raise RuntimeError(
                    f"rank {mesh.rank} received {got} bytes from rank {slots[0].source} for a tensor of {size} bytes"
                )
            flat = _flat(tensor)
            at = 0
            for slot in slots:
                part = flat[at : at + len(slot.data) // flat.element_size()]
                if part.numel():
                    part.copy_(_from_bytes(slot.data, flat.dtype))
                at += part.numel()
                slot.data = b""
            _pack(tensor, flat)

        def ready():
            return all(slot.done() for slot in slots) and len(slots) == _count(size)

        def whence():
            return self._ranks.index(slots[0].source)

        return Work([tensor], finish, ready, whence)

    def recv_anysource(self, tensors, tag=0):
        """Receives a tensor of any member."""
        return self.recv(tensors, None, tag)

    # Bytes, for objects.

    def _bytes(self, function):
        """Runs a collective of bytes at once; `function` gets its turn."""
        turn = _Turn(self, self._seconds)
        turn.begin()
        return self._take(turn, function)

    def _shut_down(self):
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def shutdown(self):
        """Ends the thread of the group."""
        self._shut_down()

    abort = shutdown


ProcessGroup.__module__ = "torch.distributed.distributed_c10d"
