/* tests/hardware/emit.c - writes the kernels of all forms that sm_90 has, or
 * of those whose name contains the argument, as one PTX module. */
#include "form.h"

#include <string.h>

int main(int argc, char **argv)
{
    hw_list l;

    hw_list_init(&l);
    if (l.failed)
        return 1;
    hw_module_begin(stdout);
    for (unsigned k = 0; k < l.count; k++)
        if (argc < 2 ? !l.form[k].newer : !!strstr(l.form[k].name, argv[1]))
            hw_kernel_write(stdout, &l.form[k], k);
    hw_list_free(&l);
    return ferror(stdout) != 0;
}
