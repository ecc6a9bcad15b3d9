"""``torch.testing._internal.common_device_type``: tests made for each device, the CPU, and each of their dtypes."""

import functools
import unittest

from .common_utils import TestCase, dtype_name, instantiated


class DeviceTypeTestBase(TestCase):
    """A test case for one kind of device."""

    device_type = "generic_device_type"

    @classmethod
    def get_primary_device(cls):
        """The device that tests are given."""
        return cls.device_type


class CPUTestBase(DeviceTypeTestBase):
    """A test case for the CPU."""

    device_type = "cpu"


class dtypes:
    """The dtypes that a test is made for, on all kinds of devices or on one."""

    def __init__(self, *args, device_type="all"):
        is_one_list = len(args) == 1 and isinstance(args[0], (list, tuple))
        self.args, self.device_type = tuple(args[0]) if is_one_list else args, device_type

    def __call__(self, fn):
        known = dict(getattr(fn, "dtypes", {}))
        if self.device_type in known:
            raise RuntimeError(f"dtypes redefinition for {self.device_type}")
        fn.dtypes = {**known, self.device_type: self.args}
        return fn


class dtypesIfCPU(dtypes):
    """The dtypes that a test is made for on the CPU."""

    def __init__(self, *args):
        super().__init__(*args, device_type="cpu")


class dtypesIfCUDA(dtypes):
    """The dtypes that a test is made for on GPUs."""

    def __init__(self, *args):
        super().__init__(*args, device_type="cuda")


class skipIf:
    """Leaves a test out on a kind of device where a condition holds."""

    def __init__(self, dep, reason, device_type=None):
        self.dep, self.reason, self.device_type = dep, reason, device_type

    def __call__(self, fn):
        @functools.wraps(fn)
        def test(case, *args, **kwargs):
            holds = getattr(case, self.dep, True) if isinstance(self.dep, str) else self.dep
            if self.device_type in (None, case.device_type) and holds:
                raise unittest.SkipTest(self.reason)
            return fn(case, *args, **kwargs)

        return test


class skipCPUIf(skipIf):
    """Leaves a test out on the CPU where a condition holds."""

    def __init__(self, dep, reason):
        super().__init__(dep, reason, "cpu")


class skipCUDAIf(skipIf):
    """Leaves a test out on GPUs where a condition holds."""

    def __init__(self, dep, reason):
        super().__init__(dep, reason, "cuda")


class onlyOn:
    """A test of one kind of device."""

    def __init__(self, device_type):
        self.device_type = device_type

    def __call__(self, fn):
        @functools.wraps(fn)
        def test(case, *args, **kwargs):
            if case.device_type != self.device_type:
                raise unittest.SkipTest(f"Only runs on {self.device_type}")
            return fn(case, *args, **kwargs)

        return test


onlyCPU, onlyCUDA, onlyMPS, onlyXPU = map(onlyOn, ("cpu", "cuda", "mps", "xpu"))


def onlyNativeDeviceTypes(fn):
    """A test of devices that PyTorch itself knows, as the CPU is."""
    return fn


onlyOnCPUAndCUDA = onlyNativeDeviceTypes


def get_device_type_test_bases():
    """The test cases of the devices that are here."""
    return [CPUTestBase]


def instantiate_device_type_tests(
    generic_test_class, scope, except_for=None, only_for=None, include_lazy=False, allow_mps=False, allow_xpu=False
):
    """Puts a test case for each device in the place of one whose tests take a device, and perhaps a dtype.

    Args:
        scope: the ``globals()`` in which the test case is.
        except_for, only_for: kinds of devices to leave out, or that alone are wanted.
    """
    del scope[generic_test_class.__name__]
    for base in get_device_type_test_bases():
        if base.device_type in _names(except_for) or only_for is not None and base.device_type not in _names(only_for):
            continue
        name = generic_test_class.__name__ + base.device_type.upper()
        members = {key: value for key, value in vars(generic_test_class).items() if key not in ("__dict__", "__weakref__")}
        tests = {key: members.pop(key) for key in list(members) if key.startswith("test") and callable(members[key])}
        plain = tuple(kind for kind in generic_test_class.__bases__ if not issubclass(base, kind))
        made = type(name, (base, *plain), {**members, "__module__": generic_test_class.__module__, "__qualname__": name})
        for key, test in tests.items():
            for full, method in _made_for(key, test, generic_test_class, made):
                if hasattr(made, full):
                    raise AssertionError(f"Redefinition of test {full}")
                setattr(made, full, method)
        scope[name] = made


def _names(kinds):
    return (kinds,) if isinstance(kinds, str) else kinds or ()


def _made_for(name, test, generic_cls, device_cls):
    """The tests that become of one: for each of its parameters and dtypes."""
    device, wanted = device_cls.device_type, getattr(test, "dtypes", {})
    parametrized = getattr(test, "parametrize_fn", None)
    cases = list(parametrized(test, generic_cls, device_cls)) if parametrized is not None else [(test, "", {})]
    for one, suffix, kwargs in cases:
        for dtype in wanted.get(device, wanted.get("all", (None,))):
            given = {**kwargs, "device": device_cls.get_primary_device()}
            parts = [name, suffix, device]
            if dtype is not None:
                given["dtype"] = dtype
                parts.append(dtype_name(dtype))
            full = "_".join(part for part in parts if part)
            yield full, instantiated(one, full, given)
