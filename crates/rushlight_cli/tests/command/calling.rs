//! What is called and with what: arguments by place and by name, random ones, functions of other files.

use crate::folder::{Folder, done, run, told};

#[test]
fn arguments_go_by_place_and_by_name() {
    let folder = Folder::new("named");
    let file = folder.write(
        "kw.py",
        "def kw(a: int, b: int = 2, *, c: int):\n    return [a, b, c]\n",
    );
    assert_eq!(done(&["run", &file, "1", "c=3"]), "[1, 2, 3]\n");
    assert_eq!(done(&["run", &file, "b=5", "a=1", "c=3"]), "[1, 5, 3]\n");
    for (arguments, why) in [
        (["1", "2", "3"], "the argument c is given by its name: c=3"),
        (["1", "a=2", "c=3"], "the argument a is given twice"),
        (["1", "", "c=3"], "an argument is empty"),
        (["1", "two", "c=3"], "'\"two\"'"),
    ] {
        let (status, said) = told(&[&["run", &file][..], &arguments].concat());
        assert!(status == 1 && said.contains(why), "{said}");
    }
}

#[test]
fn a_seed_is_that_of_random_arguments_too() {
    let folder = Folder::new("seeded");
    let file = folder.write(
        "same.py",
        "import torch\ndef same(x: torch.Tensor, y: torch.Tensor):\n    return x, y\n",
    );
    let of = |seed: &str| {
        let random = "torch.rand(2)";
        done(&["run", &file, random, random, "--seed", seed])
    };
    assert_eq!(
        of("0"),
        "(tensor([0.4963, 0.7682]), tensor([0.0885, 0.1320]))\n"
    );
    assert_ne!(of("0"), of("1"));
}

#[test]
fn functions_of_other_files_are_compiled_too() {
    let folder = Folder::new("imports");
    folder.write(
        "tools.py",
        "import numpy as np\nBY = 3\ndef scaled(x: int) -> int:\n    return x * BY\ndef odd(x: int):\n    return np.sum(x)\n",
    );
    let file = folder.write(
        "main.py",
        "from tools import scaled, odd\nimport tools\ndef f(x: int):\n    return scaled(x) + tools.scaled(1)\ndef g(x: int):\n    return odd(x)\n",
    );
    let of = |name: &str| format!("{file}:{name}");
    assert_eq!(done(&["run", &of("f"), "5"]), "18\n");
    let (status, _, errors) = run(&["run", &of("g"), "5"]);
    assert!(status == 1 && errors.contains("tools.py:6"), "{errors}");
    let (status, _, errors) = run(&["run", &of("h"), "5"]);
    let told = "there is no function 'h' in this file; it has: f, g";
    assert!(status == 1 && errors.contains(told), "{errors}");
    let (status, _, errors) = run(&["run", &of("f"), "5", "--method", "g"]);
    assert!(
        status == 1 && errors.contains("FILE.py:FUNCTION"),
        "{errors}"
    );
}

#[test]
fn an_archive_holds_functions_of_other_files() {
    let folder = Folder::new("imported");
    folder.write("tools.py", "def twice(x: int) -> int:\n    return x * 2\n");
    let file = folder.write(
        "main.py",
        "from tools import twice\ndef f(x: int):\n    return twice(x)\n",
    );
    let made = folder.at("f.pt");
    done(&["compile", &file, "-o", &made]);
    assert_eq!(done(&["run", &made, "5"]), "10\n");
    let classes = folder.write(
        "net.py",
        "from torch import nn\nclass Net(nn.Module):\n    pass\n",
    );
    let (status, said) = told(&["compile", &classes, "-o", &folder.at("net.pt")]);
    assert!(status == 1 && said.contains("no function"), "{said}");
}
