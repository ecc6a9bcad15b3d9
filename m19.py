class Account:
    def __init__(self, owner: str):
        self.owner = owner
        self.cents = 0

    def pay(self, cents: int):
        self.cents += cents

    @property
    def euros(self) -> float:
        return self.cents / 100

    def __add__(self, other: "Account") -> "Account":
        both = Account(self.owner + " and " + other.owner)
        both.pay(self.cents + other.cents)
        return both

def main():
    a, b = Account("Ada"), Account("Ben")
    a.pay(150)
    b.pay(50)
    both = a + b
    print(both.owner, both.euros)
