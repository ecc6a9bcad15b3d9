"""The kinds of devices of DLPack, loaded when somebody asks for one."""

import enum


class DLDeviceType(enum.IntEnum):
    """The kinds of devices that libraries tell each other."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17

    def __repr__(self):
        return f"<{type(self).__name__}.{self.name}: {self.value}>"


DLDeviceType.__module__ = "torch.utils.dlpack"
