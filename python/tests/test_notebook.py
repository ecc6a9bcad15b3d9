"""What notebooks show of tensors, modules, functions and graphs."""

import unittest
import xml.etree.ElementTree as xml

import rushlight as torch


def doubled(x: torch.Tensor) -> torch.Tensor:
    return (x + x).relu()


def cells(page):
    return [cell.text for cell in xml.fromstring(page).iter("td")]


class Notebook(unittest.TestCase):
    def test_matrices_are_tables_under_shape_and_dtype(self):
        page = torch.tensor([[1, 2], [3, 4]])._repr_html_()
        self.assertEqual(cells(page), ["1", "2", "3", "4"])
        self.assertIn("shape (2, 2), int64", page)

    def test_vectors_and_numbers(self):
        self.assertEqual(cells(torch.tensor([0.123456789, -1e-9, float("nan")])._repr_html_()), ["0.12346", "-1e-09", "nan"])
        self.assertEqual(cells(torch.tensor(True)._repr_html_()), ["True"])
        self.assertEqual(cells(torch.tensor([1 + 2j])._repr_html_()), ["1+2j"])

    def test_large_ones_show_their_ends(self):
        page = torch.arange(100_000).reshape(100, 1000)._repr_html_()
        self.assertEqual(len(cells(page)), 81)
        self.assertEqual(cells(page)[:5], ["0", "1", "2", "3", "…"])
        self.assertEqual(cells(page)[-1], "99999")

    def test_more_dimensions_show_the_first_matrix(self):
        page = torch.arange(8).reshape(2, 2, 2)._repr_html_()
        self.assertEqual(cells(page), ["0", "1", "2", "3"])
        self.assertIn("here [0]", page)

    def test_special_tensors(self):
        self.assertIn("meta", torch.ones(2, device="meta")._repr_html_())
        self.assertIn("shape (0, 3)", torch.ones(0, 3)._repr_html_())
        parameter = torch.nn.Parameter(torch.ones(2))
        self.assertIn("requires grad", parameter._repr_html_())
        self.assertIn("<em>Parameter</em>", parameter._repr_html_())
        quantized = torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.qint8)
        self.assertEqual(cells(quantized._repr_html_()), ["1", "1"])

    def test_modules_are_trees(self):
        model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.ReLU()))
        for one in model, torch.jit.script(model):
            tree = xml.fromstring(one._repr_html_())
            self.assertEqual(tree.tag, "details")
            page = one._repr_html_()
            for text in ("Sequential", "Linear", "BatchNorm1d", "12 parameters", "running_mean", "(2, 3)"):
                self.assertIn(text, page)

    def test_lazy_modules_have_no_shapes_yet(self):
        self.assertIn("not yet known", torch.nn.LazyLinear(3)._repr_html_())

    def test_what_transforms_pass_shows_as_text(self):
        seen = []
        torch.func.vmap(lambda x: (seen.append(x._repr_html_()), x)[1])(torch.ones(2, 2))
        self.assertEqual(seen, [None])

    def test_functions_show_their_code(self):
        page = torch.jit.script(doubled)._repr_html_()
        xml.fromstring(page)
        self.assertIn("torch.relu(torch.add(x, x))", page)
        self.assertIn("doubled(Tensor x) -&gt; Tensor", page)

    def test_graphs_are_pictures(self):
        picture = xml.fromstring(torch.jit.script(doubled).graph._repr_svg_())
        self.assertTrue(picture.tag.endswith("svg"))
        self.assertIn("relu", "".join(picture.itertext()))

    def test_long_graphs_stay_text(self):
        lines = "\n".join(["    x = x + 1"] * 1001)
        unit = torch.jit.CompilationUnit(f"def long(x):\n{lines}\n    return x\n")
        self.assertIsNone(unit.long.graph._repr_svg_())


if __name__ == "__main__":
    unittest.main()
