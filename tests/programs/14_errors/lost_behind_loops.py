"""What a message says of a variable that only one branch inside a loop defines."""

import torch
def t1(x: int):
    for i in range(x):
        for j in range(x):
            if x > 3:
                y = 2
        x += 1
    return y
def t2(x: int):
    if x > 1:
        for j in range(x):
            if x > 3:
                y = 2
    else:
        x = 2
    return y
def t3(x: int):
    for j in range(x):
        if x > 3:
            y = 2
        else:
            z = 1
        k = 3
    return y + z
def t4(x: int):
    for j in range(x):
        if x > 3:
            y = 2
        print(y)
    return 1
def t5(x: int):
    if x > 3:
        y = 2
    for j in range(x):
        print(y)
    return 1
def t6(x: int):
    if x > 1:
        if x > 2:
            y = 1
    else:
        y = 3
    return y
def t7(x: int):
    if x > 1:
        for i in range(3):
            y = 1
    else:
        y = 3
    return y
def t8(x: int):
    for j in range(x):
        if x > 3:
            y = 2
    for k in range(x):
        y = "a"
    return y
def t9(x: int):
    with torch.no_grad():
        if x > 3:
            y = 2
    return y
def t10(x: int):
    for i in range(x):
        if x > 3:
            y = 2
        else:
            y = "a"
    return y
for b in [t1,t2,t3,t4,t5,t6,t7,t8,t9,t10]:
    try:
        torch.jit.script(b); print(b.__name__,"ok")
    except Exception as e: print(b.__name__, type(e).__name__, "\n".join(l for l in str(e).split("\n") if "File" not in l))
