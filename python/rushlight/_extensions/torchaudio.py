"""The operators of torchaudio's library, as programs in Python: recursive filters, overdrive, alignment."""

import rushlight as torch


def cuda_version():
    """None."""
    return None


def is_align_available():
    """Always: :func:`forced_align`."""
    return True


def _lfilter_core_loop(input_signal_windows, a_coeffs_flipped, padded_output_waveform):
    """Runs a recursive filter: writes the output after its first elements, which are the state at the start.

    Args:
        input_signal_windows: what comes in, [batch, channel, time].
        a_coeffs_flipped: the weights of former outputs, the oldest first, [channel, order + 1]; the last is not used.
        padded_output_waveform: the output, [batch, channel, order + time].
    """
    weights = a_coeffs_flipped.tolist()
    order = len(weights[0]) - 1
    rows = []
    for signals, states in zip(input_signal_windows.tolist(), padded_output_waveform[..., :order].tolist()):
        for signal, state, channel in zip(signals, states, weights):
            told = list(state)
            for value in signal:
                for weight, former in zip(channel, told[len(told) - order :] if order else ()):
                    value -= weight * former
                told.append(value)
            rows.append(told)
    written = torch.tensor(rows, dtype=padded_output_waveform.dtype)
    padded_output_waveform.copy_(written.reshape(padded_output_waveform.shape))


def _overdrive_core_loop(waveform, temp, last_in, last_out, output_waveform):
    """The feedback of the effect: [row, time] in and out, the last values of each row."""
    old_in, old_out = last_in.tolist(), last_out.tolist()
    rows = []
    for row, (dry, wet) in enumerate(zip(waveform.tolist(), temp.tolist())):
        before, told = old_in[row], old_out[row]
        out = []
        for clean, driven in zip(dry, wet):
            told = driven - before + 0.995 * told
            before = driven
            out.append(0.5 * clean + 0.75 * told)
        old_in[row], old_out[row] = before, told
        rows.append(out)
    output_waveform.copy_(torch.tensor(rows, dtype=output_waveform.dtype).reshape(output_waveform.shape))
    last_in.copy_(torch.tensor(old_in, dtype=last_in.dtype))
    last_out.copy_(torch.tensor(old_out, dtype=last_out.dtype))


def forced_align(log_probs, targets, input_lengths, target_lengths, blank):
    """The likeliest path of labels and blanks through time that spells the targets.

    Args:
        log_probs: logarithms of likelihoods, [1, time, label].
        targets: what is spelled, [1, length].
        input_lengths, target_lengths: how much of both counts, [1].
        blank: the label that spells nothing.

    Returns:
        The label at each time, [1, time], and its logarithm, [time].
    """
    if log_probs.shape[0] != 1:
        raise RuntimeError("The batch dimension for log_probs must be 1 at the current version")
    frames = log_probs[0].tolist()
    spelled = targets[0].tolist()
    if blank in spelled:
        raise RuntimeError("targets Tensor shouldn't contain blank index")
    repeats = sum(one == next_one for one, next_one in zip(spelled, spelled[1:]))
    if len(frames) < len(spelled) + repeats:
        raise RuntimeError(
            f"targets length is too long for CTC. Found targets length: {len(spelled)}, log_probs length: {len(frames)}, "
            f"and number of repeats: {repeats}"
        )
    # States: a blank before, between and after the labels.
    states = [blank]
    for label in spelled:
        states += [label, blank]
    nothing = float("-inf")
    best = [frames[0][label] if place < 2 else nothing for place, label in enumerate(states)]
    steps = []
    for frame in frames[1:]:
        now, step = [], []
        for place, label in enumerate(states):
            back, score = 0, best[place]
            if place >= 1 and best[place - 1] > score:
                back, score = 1, best[place - 1]
            if place >= 2 and label != blank and label != states[place - 2] and best[place - 2] > score:
                back, score = 2, best[place - 2]
            now.append(score + frame[label])
            step.append(back)
        best = now
        steps.append(step)
    place = len(states) - 1
    if place and best[place - 1] > best[place]:
        place -= 1
    path = [states[place]]
    for step in reversed(steps):
        place -= step[place]
        path.append(states[place])
    path.reverse()
    scores = torch.tensor([frame[label] for frame, label in zip(frames, path)], dtype=log_probs.dtype)
    return torch.tensor([path], dtype=targets.dtype), scores[None]


def register():
    """Puts them into ``torch.ops.torchaudio`` and ``torch.ops._torchaudio``."""
    for function in (cuda_version, is_align_available):
        setattr(torch.ops._torchaudio, function.__name__, function)
    for function in (_lfilter_core_loop, _overdrive_core_loop, forced_align):
        setattr(torch.ops.torchaudio, function.__name__, function)
