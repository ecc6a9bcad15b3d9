import enum

class Colour(enum.Enum):
    RED = 1
    BLUE = 2

def main():
    c = Colour.BLUE
    print(c.name, c.value, c == Colour.RED, [x.value for x in Colour])
