# FileCheck: what comes where in a text, and what it says when it does not
from torch.testing import FileCheck

text = "a b c\nd e a\nf a g\n"
def run(check):
    try:
        check.run(text)
        print("holds")
    except RuntimeError as e:
        print(e)
run(FileCheck().check("a").check("e"))
run(FileCheck().check("q"))
run(FileCheck().check("b").check_not("d").check("e"))
run(FileCheck().check_count("a", 3, exactly=True))
run(FileCheck().check_count("a", 2, exactly=True))
run(FileCheck().check_count("a", 4))
run(FileCheck().check("a").check_same("c"))
run(FileCheck().check("a").check_same("d"))
run(FileCheck().check("a").check_next("e"))
run(FileCheck().check("a").check_next("g"))
run(FileCheck().check_dag("c").check_dag("b").check("f"))
run(FileCheck().check("f").check_not("a"))
run(FileCheck())
FileCheck().run("# CHECK: a\n# CHECK-NEXT: e\n", text)
