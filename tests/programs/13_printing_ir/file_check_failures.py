"""What FileCheck says of checks that fail: which lines it shows and marks; and of checks that never ran."""
from torch.testing import FileCheck
txt = "l0 zero\nl1 one\nalpha beta\nbeta gamma 42\nfoo(bar)\nbeta end\nl6 x\nl7 y\n"
cases = [
    lambda f: f.check("gamma").check("alpha"),
    lambda f: f.check("alpha").check("zzz"),
    lambda f: f.check("zzz"),
    lambda f: f.check("zzzzz"*10),
    lambda f: f.check("end").check("alpha"),
    lambda f: f.check("y").check("alpha"),
    lambda f: f.check("7").check("alpha"),
    lambda f: f.check_count("beta",4),
    lambda f: f.check_count("beta",2,exactly=True),
    lambda f: f.check("alpha").check_same("gamma"),
    lambda f: f.check("alpha").check_same("zzz"),
    lambda f: f.check("alpha").check_next("foo"),
    lambda f: f.check("alpha").check_next("zzz"),
    lambda f: f.check("alpha").check_not("foo").check("end"),
    lambda f: f.check_not("alpha"),
    lambda f: f.check("l7").check_not("y"),
    lambda f: f.check_dag("gamma").check_dag("zzz"),
    lambda f: f.check("one").check_dag("gamma").check_dag("zero"),
    lambda f: f.check_regex(r"\d{3}"),
    lambda f: f.check("gamma").check_regex("al\"p"),
    lambda f: f.check("gamma").check_regex("al\np"),
    lambda f: f.check_source_highlighted("bar"),
    lambda f: f.check("gamma").check_source_highlighted("bar"),
    lambda f: f.check_source_highlighted("zzz"),
    lambda f: f.check_not("zzz").check("qqq"),
    lambda f: f.check_regex("alpha.*gamma"),
    lambda f: f.check_regex("("),
    lambda f: f.check("gamma").check_count("zzz",1),
    lambda f: f.check("beta").check_count("zzz",2, exactly=True),
    lambda f: f.check_count("l",0,exactly=True), lambda F:f.check("gamma").check_next("x"), lambda F:f.check("y").check_next("x"), lambda F:f.check("y").check_same("x"),
    lambda f: f.check("")]
for i,c in enumerate(cases):
    for t in (txt, txt[:-1]):
        try: c(FileCheck()).run(t); print(i,"ok")
        except Exception as e: print(i, type(e).__name__, repr(str(e)).replace("\\n","\n") if t is txt else repr(str(e)))
src="def f(x):\n    return foo(bar)\n           ~~~ <--- HERE\n           ~~~~~~~~\n  bar\n  ~~~~\n"
for w in ("foo","bar","foo(bar)","x","return"):
    for pre in (lambda f: f,
    lambda f: f.check("return")):
        try: pre(FileCheck()).check_source_highlighted(w).run(src); print(w,"ok")
        except Exception as e: print(w, type(e).__name__, str(e))
del pre
left = FileCheck().check("a").check_count("c", 2, exactly=True)
del left
print("end")
