def main():
    largest = 9223372036854775807
    print(largest + 1)
    print(7 / 2, 7 // 2, -7 // 2, -7 % 3, 2 ** 10)
    print(int(2.7), float(3), bool(0), round(2.5))
    print(1 + 2.5, 3 == 3.0)
