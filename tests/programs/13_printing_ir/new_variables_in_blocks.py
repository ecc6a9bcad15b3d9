"""Random control flow whose branches and loops assign new variables: graphs with the numbers of values."""

import torch

T = torch.Tensor
def f0(x: T, n: int, c: bool):
    print(n)
    if (8 * 8) < (1 + 1):
        l1 = [x]
        print(c)
        l1.append(x)
        if (8 > n or (7 + 7) < (n - n)):
            if (n + n) != 0:
                t4 = x * 7
                bool4 = n < (7 - 7)
                t4 = x
            else:
                s4 = 'a'
                int5 = (0 - n)
                t4 = x
            if c:
                int3 = (3 - 3)
                l1 = []
                l1 = l1
                t4 = x - t4
            if (n > n and (n > n and (((3 > (8 + n) or n == (5 + n)) and 7 != 5) and c))):
                t2 = t4 * t4
                int1 = (n * 2)
                l5 = []
                s1 = 'b'
            else:
                int2 = n
                l1 = l1
                int2 = n
                int0 = (3 + int2)
        else:
            for i1 in range((1 * n)):
                s1 = 'b'
                i1 = n
                bool0 = c
                int1 = (n + i1)
    t3 = x + (n - 5)
    return c, n, t3, x
def f1(x: T, n: int, c: bool):
    l0 = []
    int1 = n
    for i3 in range((int1 * int1)):
        for i2 in range((n - 1)):
            print(i3)
            t1 = x * x
            l0 = [x + (n + int1)]
        if n == int1:
            bool1 = 3 != i3
        int2 = n
        l0.append(torch.relu(x))
        i3 += (i3 * int1)
    if ((n + n) == int1 or (4 + n) != (int1 * 1)):
        if 4 != (9 - n):
            l1 = [x]
            for i1 in range((int1 * int1)):
                s4 = str(n)
                l0 = []
        else:
            if c:
                bool4 = (0 * int1) < (int1 - n)
                s5 = 'b'
                int1 = int1
                l0 = []
            else:
                bool1 = (n - 8) > n
                t4 = x
                int1 = (int1 * n)
                bool1 = c
            l0.append(x - x)
            int1 -= (n - 2)
        for i2 in range((n - 0)):
            for i1 in range((4 - i2)):
                t0 = x - x
            if (int1 + int1) != i2:
                int3 = n
                t4 = x * x
            else:
                i2 = (n + n)
                s1 = 'b'
                int1 = int1
    else:
        for i2 in range(int1):
            l0.append(torch.relu(x))
            i2 += n
            i2 = 6
            t3 = torch.relu(x)
            print(n)
        for i2 in range((int1 * 3)):
            s1 = 'a'
            if 6 < (n - int1):
                i2 = (int1 * n)
                int0 = int1
            else:
                bool0 = n != i2
                t2 = x * x
            i2 = i2
            if c:
                int1 = (6 * n)
                bool3 = c
                int2 = (i2 + int1)
                t2 = x * (1 * n)
            else:
                t5 = x + x
                t5 = t5 + t5
                int0 = (4 * int1)
        l0.append(x)
        int1 -= int1
    return c, int1, l0, n, x
def f2(x: T, n: int, c: bool):
    int5 = n
    return c, int5, n, x
def f3(x: T, n: int, c: bool):
    t5 = x
    print(t5)
    for i3 in range(n):
        int3 = 8
        print(x)
    return c, n, t5, x
def f4(x: T, n: int, c: bool):
    int3 = (7 - n)
    return c, int3, n, x
def f5(x: T, n: int, c: bool):
    for i3 in range(n):
        t5 = x + x
        t4 = x * t5
        print(t5)
    if (7 < 7 or c):
        int4 = (1 - n)
        for i2 in range((int4 * int4)):
            t0 = x + (int4 + int4)
            int4 = (7 - n)
            if (int4 - int4) == int4:
                int2 = (i2 + 3)
                int4 = int4
                int4 = (i2 + int2)
        int4 += (int4 + 5)
    else:
        for i2 in range((3 - n)):
            if (9 > (9 - 9) and (n + 8) > (i2 * 3)):
                l5 = [x]
                l5 = l5
                s1 = 'b'
            else:
                bool5 = i2 < n
                s0 = str((n - 3))
                i2 = 9
                l3 = [x + x]
        if (n + n) == (n + 6):
            print(n)
            if (n * n) == 6:
                int1 = n
                s5 = 'a'
                t3 = torch.relu(x)
            else:
                int2 = 1
        else:
            l1 = []
            bool5 = 4 == n
        if (7 + 7) < (6 + 6):
            if ((n * 6) == (1 * n) and n < (7 - 7)):
                bool2 = (n == (3 + n) and c)
        t1 = x
    return c, n, x
def f6(x: T, n: int, c: bool):
    for i3 in range(n):
        if (i3 + i3) > (2 + i3):
            int0 = (i3 * 0)
            if (n < (n + 6) and i3 != (n - i3)):
                int0 = i3
                s4 = 'b'
                l2 = []
            else:
                s0 = 'b'
                s4 = str((n * n))
        else:
            if c:
                t5 = x * x
                t4 = x * x
                s4 = 'b'
        for i2 in range((i3 - i3)):
            t5 = x * x
            for i1 in range((n + i3)):
                t2 = torch.relu(x)
                int2 = (n + 4)
                t5 = t2
    print(n)
    if 9 > n:
        if (c and ((5 - 5) != (n - n) and (n < 6 and (3 * n) < (9 * n)))):
            if c:
                t5 = torch.relu(x)
                t5 = x * t5
                bool2 = 6 != (7 + 7)
                l1 = []
        if ((n * n) != (n - 2) or (7 * n) > 4):
            for i1 in range(5):
                int1 = n
                l1 = [torch.relu(x)]
                bool0 = (c and int1 < (int1 + n))
        else:
            if c:
                l5 = [x * x]
                t3 = x - x
            else:
                t0 = x
    else:
        if (5 - n) == (6 - n):
            for i1 in range((n * n)):
                s1 = 'b'
                t0 = x + i1
            l4 = [x + n]
            for i1 in range(1):
                bool1 = 4 != (n * i1)
                i1 = n
                t0 = x
                t0 = x + (i1 * 6)
        print(x)
        print(x)
        if (9 + n) > (n - n):
            for i1 in range((0 - n)):
                int3 = (n * i1)
                bool0 = c
                t3 = x
    if c:
        for i2 in range(n):
            i2 += (7 - n)
            int0 = i2
    else:
        int3 = (6 - 6)
        if int3 < (6 * n):
            l2 = []
        else:
            bool4 = 8 < (7 - int3)
        if n == 8:
            s3 = 'b'
        else:
            for i1 in range(n):
                int3 = (int3 * i1)
            if c:
                bool2 = int3 != (2 - 2)
                int3 = (int3 + 5)
                l5 = []
                bool4 = (n - n) < (5 - 5)
            print(x)
            if c:
                int3 = 2
                t5 = x * x
            else:
                int1 = 7
                int1 = (int3 * int3)
                int3 = (int1 + n)
        print(x)
    return c, n, x
def f7(x: T, n: int, c: bool):
    if c:
        for i2 in range((n + 5)):
            i2 += n
        bool4 = (n + n) != 0
        int1 = (2 + n)
    int5 = 3
    return c, int5, n, x
def f8(x: T, n: int, c: bool):
    bool5 = c
    return bool5, c, n, x
def f9(x: T, n: int, c: bool):
    bool3 = n > (n + 4)
    for i3 in range(9):
        if (n * 8) == 6:
            print(bool3)
            i3 += (0 + i3)
            i3 = (i3 * 0)
        else:
            if (1 == (i3 * n) and i3 > (i3 - i3)):
                s5 = str(i3)
                int2 = (n * n)
                l2 = [torch.relu(x)]
                int5 = (n + i3)
            else:
                t3 = x
            bool5 = ((c and (8 + n) < (4 + 4)) or 9 != n)
            print(i3)
            int5 = (n * i3)
        if ((i3 - i3) != 7 and n != 0):
            t2 = x + x
            if n == i3:
                bool3 = (bool3 and ((((2 + n) < (i3 + n) or bool3) and n == (i3 * i3)) or ((n + i3) == (n * 2) and c)))
                s1 = 'a'
            else:
                l4 = []
                int2 = i3
                int2 = (n + int2)
                t4 = x
        else:
            print(c)
            if i3 != i3:
                i3 = n
                bool0 = ((i3 * 0) == i3 and (i3 == 8 and (i3 * 1) < (i3 - n)))
            for i1 in range(i3):
                i3 = (0 * 0)
                t0 = x - x
                l1 = []
        l3 = []
    bool3 = (2 + n) != (n * n)
    return bool3, c, n, x
def f10(x: T, n: int, c: bool):
    int2 = (n - 6)
    int2 += 5
    return c, int2, n, x
def f11(x: T, n: int, c: bool):
    t1 = x
    t1 = t1
    return c, n, t1, x
def f12(x: T, n: int, c: bool):
    t5 = x
    if (8 * 8) == (6 - 6):
        for i2 in range(2):
            i2 = 8
            t5 = t5 * t5
            i2 += (n * i2)
        if c:
            s5 = str((n * 2))
            if (9 - 9) != 0:
                bool3 = ((n + 0) > (n + n) and 6 == (n - n))
                bool5 = ((3 - 3) < (8 * 8) or (n - 0) > (n * n))
            else:
                bool5 = (2 == 1 and n > 1)
                int2 = (n - 3)
            t5 = x + x
            if c:
                t4 = t5 * t5
            else:
                int5 = n
                int5 = 0
                int4 = (int5 - int5)
        if (n - 3) < (n + 0):
            for i1 in range(4):
                i1 = n
                int0 = i1
            bool5 = c
        else:
            print(n)
    else:
        if (n - 8) != 9:
            if (n - 9) == 5:
                bool0 = (n > (n + 9) and c)
                int2 = n
            t5 = t5
            if c:
                bool3 = c
            else:
                s2 = str((n + 6))
                int0 = 6
        print(x)
        print(c)
    return c, n, t5, x
def f13(x: T, n: int, c: bool):
    for i3 in range(0):
        i3 -= n
        l4 = []
    return c, n, x
def f14(x: T, n: int, c: bool):
    l0 = [x + x]
    print(l0)
    for i3 in range(n):
        t3 = x
        l5 = l0
        l2 = [x + (n * n)]
        if (n * n) == (n * 3):
            for i1 in range((n + i3)):
                l1 = [x + 6]
                s1 = str((i3 * i3))
                i1 = (i3 * i3)
            print(l2)
        else:
            for i1 in range((5 + i3)):
                t2 = torch.relu(t3)
                l2 = l5
                l5 = l0
                i1 = (n * i3)
            i3 = (i3 - i3)
    if 0 < n:
        t0 = x
        print(x)
    return c, l0, n, x
def f15(x: T, n: int, c: bool):
    if c:
        print(x)
    else:
        for i2 in range((n + 9)):
            if c:
                bool1 = (i2 + n) == (i2 * i2)
                l1 = [x + i2]
                t4 = x - x
                s2 = 'b'
            int0 = 0
            if (n + n) < n:
                t2 = x
                int0 = (int0 - int0)
                bool0 = n > (int0 * i2)
                t2 = x
        t1 = x
        if c:
            s1 = str(n)
            int0 = (n + 4)
            if (int0 * n) == 0:
                l4 = []
            else:
                bool5 = (n < 5 and (n + 2) > (int0 - n))
        else:
            if (n * n) != (n - 6):
                t5 = t1 - t1
                s0 = 'b'
                t3 = x
                bool4 = 8 != n
    bool2 = n == n
    if 3 == (8 - 8):
        bool2 = n < (n - 6)
    if (n - 1) != 7:
        int4 = (n - n)
        int4 = n
    return bool2, c, n, x
def f16(x: T, n: int, c: bool):
    print(n)
    s4 = 'a'
    for i3 in range((n - n)):
        i3 += (i3 * n)
        i3 = n
        i3 -= (i3 - n)
    return c, n, s4, x
def f17(x: T, n: int, c: bool):
    if c:
        if 0 != (n * n):
            for i1 in range((1 * 1)):
                s4 = 'b'
            if 6 != 0:
                l1 = [x + (n * n)]
                bool2 = c
                t1 = x * x
            s3 = 'a'
            s3 = str(n)
        print(x)
        s0 = str(2)
    else:
        print(c)
    for i3 in range((n + 2)):
        for i2 in range(n):
            int3 = i3
        for i2 in range(7):
            print(n)
    s1 = 'b'
    return c, n, s1, x
def f18(x: T, n: int, c: bool):
    if (3 - n) > (4 + n):
        for i2 in range((n + 6)):
            int4 = (n - 8)
            for i1 in range(7):
                s4 = 'b'
                l0 = []
            t1 = x + (8 + int4)
        if n > n:
            pass
    else:
        if n == (2 + 2):
            if (1 + 1) == n:
                int5 = 8
                int5 = (3 + n)
                t4 = x + x
                l4 = [x + (9 + 9)]
            t3 = x * x
        else:
            l1 = [x]
            int3 = (n + 0)
        bool2 = n != (n + n)
    for i3 in range((n * n)):
        s2 = 'a'
    print(c)
    return c, n, x
def f19(x: T, n: int, c: bool):
    pass
    return c, n, x
def f20(x: T, n: int, c: bool):
    for i3 in range(n):
        bool2 = (c or 7 != (n - 6))
    int3 = (n + n)
    t4 = x * x
    int3 += (n * n)
    return c, int3, n, t4, x
def f21(x: T, n: int, c: bool):
    if c:
        s1 = str(n)
    else:
        print(c)
    print(c)
    if 4 == (n - n):
        print(c)
        bool2 = n == n
        t0 = x * x
        for i2 in range(4):
            for i1 in range((n * 0)):
                bool2 = (9 * i2) > 3
                bool5 = i1 == (i1 + i2)
                t0 = t0
                int4 = i1
            if ((i2 - i2) != (n * n) or c):
                i2 = n
                int4 = i2
                s0 = 'b'
            else:
                t2 = torch.relu(t0)
                t2 = torch.relu(x)
                bool2 = i2 > (2 * 2)
            print(x)
    return c, n, x
def f22(x: T, n: int, c: bool):
    print(x)
    if c:
        for i2 in range(n):
            print(c)
            bool0 = (n + 8) != (i2 + n)
        if (n + n) > n:
            if 8 == 9:
                int2 = (n * 6)
                t4 = x * x
            bool1 = (n * 9) < (6 + 6)
        else:
            for i1 in range(n):
                bool0 = (i1 * i1) == (8 * i1)
            t0 = torch.relu(x)
        for i2 in range((5 - n)):
            print(c)
            for i1 in range(7):
                t1 = x
            for i1 in range((i2 * n)):
                s1 = 'a'
                i2 = (i1 - n)
            int3 = (1 + n)
    else:
        for i2 in range(9):
            bool5 = c
            if (n * n) < 3:
                s1 = 'b'
            else:
                int0 = n
                int0 = 1
            s4 = 'a'
            print(bool5)
        if 8 < n:
            if (n + 3) > 6:
                int0 = (n - n)
                l2 = []
                t4 = x + 0
            t0 = x * x
            for i1 in range(n):
                i1 = n
            int4 = (n - 5)
        for i2 in range(5):
            s5 = 'a'
        if (6 > (3 * n) or (c or (4 == 4 and ((((n == (1 * 1) and n == (7 - n)) or (2 - n) == (3 + 3)) or (0 < n or (2 - n) < 9)) and 4 == 5)))):
            for i1 in range((5 + 5)):
                s5 = 'a'
                t0 = x * x
                t0 = t0 + t0
        else:
            print(x)
            int2 = (n * 7)
            int2 = n
    t1 = x
    t1 = t1 * (n + 1)
    return c, n, t1, x
def f23(x: T, n: int, c: bool):
    if 0 != 0:
        if (n * 5) == 2:
            print(x)
            print(n)
        else:
            t0 = torch.relu(x)
            t0 = x + (n - 7)
        print(n)
        int5 = (9 + 9)
        s3 = 'a'
    else:
        t1 = torch.relu(x)
    s3 = str(9)
    bool0 = c
    return bool0, c, n, s3, x
for q in range(24):
    f=globals()[f'f{q}']
    print('##',q)
    try: print(torch.jit.script(f).graph)
    except Exception as e: print(type(e).__name__, str(e).strip().splitlines()[0])
