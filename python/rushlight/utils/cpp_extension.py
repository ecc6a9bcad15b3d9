"""``torch.utils.cpp_extension``: extensions in C++ need PyTorch's headers and libraries, so that none is built here."""

from .._absent import refuse

CUDA_HOME = ROCM_HOME = CUDNN_HOME = SYCL_HOME = None
IS_HIP_EXTENSION = IS_WINDOWS = False

refuse(globals(), (
    "CppExtension", "CUDAExtension", "SyclExtension", "load", "load_inline", "include_paths", "library_paths", "check_compiler_ok_for_platform",
    "get_compiler_abi_compatibility_and_version", "get_cxx_compiler",
), RuntimeError, lambda name: (
    f"torch.utils.cpp_extension.{name}: extensions in C++ need PyTorch's headers and libraries, which Rushlight does not have"
))


def is_ninja_available():
    """Whether there is what builds extensions: no."""
    return False


class BuildExtension:
    """Builds extensions. Making one raises ``RuntimeError``."""

    def __init__(self, *args, **kwargs):
        load()  # noqa: F821  raises

    @classmethod
    def with_options(cls, **options):
        """The class, whatever the options."""
        return cls
