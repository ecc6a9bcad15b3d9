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

def rename(a: Account):
    a.title = "Dr"
