def big():
    return 9223372036854775808
