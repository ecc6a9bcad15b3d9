"""What a scaler of gradients does in one call each: ``torch._amp_update_scale_`` and its neighbour."""

import rushlight as torch


def _one_float(tensor, name):
    if tensor.numel() != 1:
        raise RuntimeError(f"{name} must be a 1-element tensor.")
    if tensor.dtype != torch.float32:
        raise RuntimeError(f"{name} must be a float tensor.")


def _amp_foreach_non_finite_check_and_unscale_(scaled_grads, found_inf, inv_scale):
    """Multiplies gradients, in place; ``found_inf`` becomes 1 where a number of one was not finite before."""
    _one_float(inv_scale, "inv_scale")
    _one_float(found_inf, "found_inf")
    factor = inv_scale.item()
    with torch.no_grad():
        for each in scaled_grads:
            if not each.is_floating_point():
                raise NotImplementedError("_amp_foreach_non_finite_check_and_unscale_: gradients are floats, but one is " + str(each.dtype))
            if not torch.isfinite(each).all():
                found_inf.fill_(1)
            if factor != 1:
                each.mul_(factor)


def _amp_update_scale_(self, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval):
    """Shrinks a scale after numbers that were not finite, and lets it grow after ``growth_interval`` calls without; gives it back."""
    if growth_tracker.numel() != 1:
        raise RuntimeError("growth_tracker must be a 1-element tensor.")
    if growth_tracker.dtype != torch.int32:
        raise RuntimeError("growth_tracker must be an int tensor.")
    _one_float(self, "current_scale")
    _one_float(found_inf, "found_inf")
    with torch.no_grad():
        if found_inf.item():
            self.mul_(scale_backoff_factor)
            growth_tracker.fill_(0)
        elif growth_tracker.item() + 1 == growth_interval:
            grown = self * scale_growth_factor
            if torch.isfinite(grown).all():
                self.copy_(grown)
            growth_tracker.fill_(0)
        else:
            growth_tracker.add_(1)
    return self
