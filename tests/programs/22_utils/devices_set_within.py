# A default device that is set within a device scope takes its place, and gives it back when it ends.
import torch


def show(place):
    print(place, torch.get_default_device(), torch.ones(1).device, torch.empty(1).device)


show("before")
with torch.device("meta"):
    show("in meta")
    torch.set_default_device("cpu")
    show("set to the CPU")
show("behind")
torch.set_default_device(None)
show("set to nothing")
with torch.device("cpu"):
    show("in CPU")
    torch.set_default_device("meta")
    show("set to meta")
show("behind")
torch.set_default_device("cpu")
with torch.device("meta"):
    show("in meta")
    with torch.device("cpu"):
        show("in both")
        try:
            torch.set_default_device("meta")
        except AssertionError as error:
            print("AssertionError", error)
