from typing import Dict, List

def main():
    names: List[str] = []
    names.append("b")
    names.extend(["a", "c"])
    same = names
    same.sort()
    ages: Dict[str, int] = {"x": 1}
    ages["a"] = 2
    print(names, names[-1], names[1:], len(ages), "x" in ages)
    for name, age in ages.items():
        print(name, age)
