"""torch.library: what libraries register for operators that are built in."""

import unittest

import rushlight as torch


class BuiltInOperators(unittest.TestCase):
    def test_what_torchvision_registers_is_not_needed(self):
        library = torch.library.Library("torchvision", "IMPL", "Meta")
        for operator in (torch.ops.torchvision.nms, torch.ops.torchvision.roi_align):
            # As an overload, which is how torchvision names them, and by name.
            library.impl(operator.default, lambda *arguments: None)
            library.impl(operator.default.name(), lambda *arguments: None)
        boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [5.0, 5.0, 6.0, 6.0]])
        kept = torch.ops.torchvision.nms(boxes, torch.tensor([0.5, 0.9, 0.1]), 0.5)
        self.assertEqual(kept.tolist(), [1, 2])

    def test_operators_of_pytorch_keep_their_kernels(self):
        library = torch.library.Library("aten", "IMPL")
        add = torch.ops.aten.add.Tensor
        refused = NotImplementedError
        for extend in (
            lambda: library.impl(add, lambda a, b: a),
            lambda: torch.library.register_fake(add, lambda a, b: a),
            lambda: torch.library.register_kernel(add, "cpu", lambda a, b: a),
            lambda: torch.library.register_autograd(add, lambda ctx, grad: grad),
        ):
            with self.assertRaisesRegex(refused, "aten::add is a built-in operator"):
                extend()


if __name__ == "__main__":
    unittest.main()
