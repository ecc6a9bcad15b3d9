def main():
    print("a,b".split(","), " x ".strip(), "abc"[::-1], "b" in "abc")
    print(len("é"))
    n = 3
    print(f"{n} of {n + 1}", "{} and {}".format(1, 2), "%d %s" % (5, "x"))
