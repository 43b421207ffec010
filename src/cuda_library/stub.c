#include "cuda_library/stub.h"

#include <stdio.h>

void library_stub_tell(const char *function, const char *code,
                       atomic_flag *told)
{
    if (!atomic_flag_test_and_set(told))
        fprintf(stderr,
                "heddle: %s is not in Heddle's library, which stands for the "
                "vendor's: the program gets %s\n",
                function, code);
}
