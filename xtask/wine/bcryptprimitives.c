/* The one function of Windows that Rust's standard library needs and Wine 8.0 lacks: random bytes for the seeds of
 * hash tables. `cargo xtask test windows` builds it into the folder of its own Wine; no program that is given away has it. */
#include <windows.h>

/* RtlGenRandom, by the name that it is exported under. */
BOOLEAN WINAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
    while (length > 0) {
        ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length;
        if (!SystemFunction036(buffer, part)) {
            return FALSE;
        }
        buffer += part;
        length -= part;
    }
    return TRUE;
}
