# Displays and dict() where an annotation leaves open which list or dict is meant.
import torch
from typing import Dict, List, Optional, Tuple, Union


def told(function):
    try:
        print(torch.jit.script(function).schema)
    except Exception as error:
        print(type(error).__name__, str(error).split("File")[0].strip())


def lists_differ():
    x: Union[List[int], List[str]] = [1, "a"]
    return x


def three_lists():
    x: Union[List[int], List[str], List[float]] = [True]
    return x


def list_fits():
    x: Union[List[Optional[int]], List[str]] = [1]
    return x


def list_of_unions(y: int):
    x: Union[List[Union[int, str]], List[torch.Tensor]] = [y]
    return x


def nested_lists():
    x: Union[List[List[int]], List[List[str]]] = [[1], ["a"]]
    return x


def empty_list():
    x: Union[List[int], List[str]] = []
    return x


def returned() -> Union[List[int], List[str]]:
    return []


def annotated():
    return torch.jit.annotate(Union[List[int], List[str]], [1.5])


def dicts_differ():
    x: Union[Dict[str, int], Dict[int, int]] = {"a": "b"}
    return x


def three_dicts():
    x: Union[Dict[str, float], Dict[int, str], Dict[int, int]] = {"a": 1}
    return x


def dict_fits():
    x: Union[Dict[str, Optional[int]], Dict[str, str]] = {"a": 1}
    return x


def mixed_values():
    x: Union[Dict[str, int], Dict[str, str]] = {"a": 1, "b": "c"}
    return x


def empty_dict():
    x: Union[Dict[str, int], Dict[int, int]] = {}
    return x


def comprehension(l: List[int]):
    x: Union[List[str], List[torch.Tensor]] = [i for i in l]
    return x


def comprehension_fits(l: List[int]):
    x: Union[List[Optional[int]], List[str]] = [i for i in l]
    return x


def comprehension_one_list(l: List[int]):
    x: Union[List[str], int] = [i for i in l]
    return x


def dict_comprehension(l: List[int]):
    x: Union[Dict[int, str], Dict[str, int]] = {i: i for i in l}
    return x


def dict_comprehension_fits(l: List[int]):
    x: Union[Dict[int, Optional[int]], Dict[str, str]] = {i: i for i in l}
    return x


def made_of_nothing():
    x: Union[Dict[str, int], Dict[int, int]] = dict()
    return x


def made_of_pairs(l: List[Tuple[str, int]]):
    x: Union[Dict[str, int], Dict[int, int]] = dict(l)
    return x


def no_dict_wanted():
    x: Union[int, str] = dict()
    return x


def no_dict_wanted_of_pairs():
    x: int = dict([("a", 1)])
    return x


for function in (
    lists_differ, three_lists, list_fits, list_of_unions, nested_lists, empty_list, returned, annotated, dicts_differ, three_dicts,
    dict_fits, mixed_values, empty_dict, comprehension, comprehension_fits, comprehension_one_list, dict_comprehension,
    dict_comprehension_fits, made_of_nothing, made_of_pairs, no_dict_wanted, no_dict_wanted_of_pairs,
):
    told(function)
