from typing import Optional

def length(text: Optional[str]) -> int:
    if text is None:
        return 0
    return len(text)

def wrong(text: Optional[str]) -> str:
    return text.upper()
