from typing import Any, Union

def describe(x: Union[int, str]) -> str:
    if isinstance(x, int):
        return "number {}".format(x + 1)
    else:
        return "text " + x

def main():
    print(describe(1), describe("a"))
