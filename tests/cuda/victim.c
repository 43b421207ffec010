/* tests/cuda/victim.c - looks like a library with a CUDA runtime in it, to
 * test_takeover.c. Its functions return their numbers. */
#include <dlfcn.h>

__attribute__((section(".nv_fatbin"), used)) static const char code[16];

void *victim_driver(void);
void *victim_driver(void) { return dlopen("libcuda.so.1", RTLD_NOW); }

#ifdef __x86_64__
#ifdef VICTIM_MOVED
__asm__(".text\n.skip 64, 0xcc\n");
#endif
/* A function that returns `number`, of `size` bytes, with `first` before it. */
#define FUNCTION(name, number, size, first)                                    \
    __asm__(".text\n.balign 16\n.globl " name "\n.type " name                  \
            ", @function\n" name ": " first "\nmov $" #number ", %eax\nret\n"  \
            ".skip " #size " - (. - " name "), 0x90\n"                         \
            ".size " name ", " #size "\n")

FUNCTION("__cudaRegisterFatBinary", 1, 13, "");
FUNCTION("cudaMalloc", 2, 13, "");
FUNCTION("cudaAlmost", 3, 12, "");
FUNCTION("cudaLanding", 4, 17, "endbr64");
FUNCTION("cudaLandingAlmost", 5, 16, "endbr64");
FUNCTION("cudaUnknown", 6, 20, "");
#else
int __cudaRegisterFatBinary(void);
int __cudaRegisterFatBinary(void) { return 1; }
#define FUNCTION(name, number, size, first)
#endif

#ifdef VICTIM_SECOND
FUNCTION("cudaGetDeviceProperties_v2", 7, 20, "");
#endif
#ifdef VICTIM_REFERENCES
FUNCTION("cudaBindTexture", 8, 20, "");
#endif
#ifdef VICTIM_LIMITS
FUNCTION("cudaCtxResetPersistingL2Cache", 9, 20, "");
#endif
