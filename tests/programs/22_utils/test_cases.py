"""What test suites take from torch.testing._internal: comparison, parameters, dtypes, devices, switches for a while."""
import os
import unittest

import torch
from torch.testing._internal.common_device_type import (
    dtypes, dtypesIfCPU, instantiate_device_type_tests, onlyCPU, onlyCUDA, onlyNativeDeviceTypes, skipCPUIf, skipCUDAIf,
)
from torch.testing._internal.common_dtype import (
    all_types, all_types_and, all_types_and_complex_and, complex_types, double_types, floating_types_and, get_all_dtypes, get_all_fp_dtypes,
    get_all_math_dtypes, integral_types,
)
from torch.testing._internal.common_utils import (
    IS_LINUX, TEST_CUDA, TEST_WITH_ROCM, TemporaryDirectoryName, TemporaryFileName, TestCase, dtype_name, freeze_rng_state,
    instantiate_parametrized_tests, is_iterable, make_tensor, noncontiguous_like, parametrize, set_default_dtype, slowTest, subtest,
)

print(all_types(), complex_types(), double_types(), integral_types(), all_types_and(torch.half, torch.bool))
print(floating_types_and(torch.bfloat16), all_types_and_complex_and(torch.half), get_all_dtypes(), get_all_fp_dtypes())
print(get_all_dtypes(include_half=False, include_bool=False), get_all_math_dtypes("cpu"), IS_LINUX, TEST_CUDA, TEST_WITH_ROCM)
ONE, TWO = torch.ones(1), torch.ones(2)


class Plain(TestCase):
    @parametrize("x", [1, 2.5, torch.float32, "s"])
    def test_one(self, x):
        print(x)

    @parametrize("x,y", [(1, 2), subtest((3, 4), name="named"), (None, True)])
    @parametrize("z", [1, 2], name_fn=lambda z: f"zz{z}")
    def test_more(self, x, y, z):
        print(x, y, z)

    def test_equal(self):
        for x, y in (
            (TWO, TWO + 1e-7), ([1, ONE], [1, ONE]), (1.0, 1.0 + 1e-9), (torch.tensor(1), 1), ({"a": ONE}, {"a": ONE}), ("a", "a"),
            (TWO, [1.0, 1.0]), (float("nan"), float("nan")), (ONE / 0 - ONE / 0, ONE / 0 - ONE / 0), (torch.Size([1]), (1,)), (None, None),
            ({1}, {1}), (torch.float, torch.float), ((1,), [1]), (1, 1.0), (True, 1),
        ):
            self.assertEqual(x, y)
        self.assertEqual(TWO, TWO * 1.05, atol=0.1, rtol=0)
        self.assertEqual(ONE, ONE.double(), exact_dtype=False)
        self.assertNotEqual(1, 2)
        self.assertNotEqual(TWO, torch.zeros(2))

    def test_not_equal(self):
        for x, y, options in (
            (TWO, torch.zeros(2), {}), (ONE, ONE.double(), {}), (1, 2, {}), ([1], [1, 2], {}), ("a", "b", {}), ({"a": 1}, {"b": 1}, {}),
            (TWO, torch.ones(3), {}), (1, 2, {"msg": "mine"}), (ONE, 2, {}), (None, 1, {}), (TWO, TWO + 1, {"msg": lambda m: m[:9] + " more"}),
            ({1}, {2}, {}),
        ):
            with self.assertRaises(AssertionError) as caught:
                self.assertEqual(x, y, **options)
            print(str(caught.exception).split("\n\nTo execute")[0])
        with self.assertRaisesRegex(RuntimeError, "size"):
            torch.ones(2) + torch.ones(3)

    def test_switches(self):
        print(torch.initial_seed())
        with freeze_rng_state():
            first = torch.rand(1)
        print(torch.equal(first, torch.rand(1)))
        with set_default_dtype(torch.double):
            print(torch.ones(1).dtype)
        with TemporaryFileName() as name, TemporaryDirectoryName() as folder:
            print(os.path.exists(name), os.path.isdir(folder))
        print(os.path.exists(name), noncontiguous_like(torch.ones(2, 2)).is_contiguous(), is_iterable([1]), dtype_name(torch.float32))
        print(make_tensor((2,), dtype=torch.float, device="cpu").shape)

    @slowTest
    def test_slow(self):
        print("slow")


class OnDevices(TestCase):
    @dtypes(torch.float, torch.int)
    def test_dtypes(self, device, dtype):
        print(device, dtype, self.device_type)

    @onlyCPU
    def test_cpu(self, device):
        print(device)

    @onlyCUDA
    def test_cuda(self, device):
        print("never")

    @dtypes(torch.float)
    @parametrize("x", [1, 2])
    def test_both(self, device, dtype, x):
        print(device, dtype, x)

    @dtypesIfCPU(torch.double)
    @dtypes(torch.float)
    def test_other(self, device, dtype):
        print(dtype)

    @onlyNativeDeviceTypes
    @skipCUDAIf(True, "no")
    def test_native(self, device):
        print(device)

    @skipCPUIf(True, "why")
    def test_skipped(self, device):
        print("never")


instantiate_parametrized_tests(Plain)
instantiate_device_type_tests(OnDevices, globals())
print([name for name in globals() if name.startswith("OnDevices")])
for case in (Plain, OnDevicesCPU):  # noqa: F821  made above
    for name in sorted(name for name in dir(case) if name.startswith("test_") and name != "test_exclusions"):
        result = unittest.TestResult()
        case(name)(result)
        print(name, result.wasSuccessful(), [reason for _, reason in result.skipped], result.errors, result.failures)
