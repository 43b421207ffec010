/* src/cuda/takeover/runtime.c - recognises a runtime by the function that every
 * program with kernels calls first. */
#include "cuda/takeover/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/driver.h"

#define LIBRARY  "libcudart.so."
#define REGISTER "__cudaRegisterFatBinary"

/* Of a name such as libcudart.so.11.0; 0: it is another library. */
static unsigned generation_of(const char *name)
{
    size_t n = strlen(LIBRARY);

    return name && !strncmp(name, LIBRARY, n)
               ? (unsigned)strtoul(name + n, NULL, 10)
               : 0;
}

static unsigned generation_needed(const elf_file *f)
{
    unsigned generation = 0;
    const char *name;

    for (size_t i = 0; !generation && (name = elf_needed(f, i)) != NULL; i++)
        generation = generation_of(name);
    return generation;
}

/* Does it ask other files for that function? */
static bool imports(const elf_file *f, const char *name)
{
    const Elf64_Shdr *table = elf_section_of(f, SHT_DYNSYM);
    size_t n;
    const Elf64_Sym *s = elf_symbols(f, table, &n);

    for (size_t i = 0; i < n; i++)
        if (s[i].st_shndx == SHN_UNDEF &&
            !strcmp(elf_symbol_name(f, table, &s[i]), name))
            return true;
    return false;
}

/* Looks for a runtime's functions. Of cudaGetDeviceProperties, which has
 * another structure in each generation, CUDA 12 has a second version; texture
 * references ended with CUDA 11, in which the limits of the L2 came. */
static bool find_functions(const elf_file *f, const Elf64_Shdr *table,
                           runtime_found *out)
{
    bool found = false, second = false, references = false, limits = false;
    size_t n;
    const Elf64_Sym *s = elf_symbols(f, table, &n);

    for (size_t i = 0; i < n; i++) {
        const char *name;

        if (s[i].st_shndx == SHN_UNDEF ||
            ELF64_ST_TYPE(s[i].st_info) != STT_FUNC)
            continue;
        name = elf_symbol_name(f, table, &s[i]);
        if (name[0] == '_')
            found |= !strcmp(name, REGISTER);
        else if (name[0] == 'c') {
            second |= !strcmp(name, "cudaGetDeviceProperties_v2");
            references |= !strcmp(name, "cudaBindTexture");
            limits |= !strcmp(name, "cudaCtxResetPersistingL2Cache");
        }
    }
    if (found)
        *out = (runtime_found){.kind = RUNTIME_INSIDE,
                               .generation = second        ? 12
                                             : !references ? 13
                                             : limits      ? 11
                                                           : 10,
                               .symbols = table};
    return found;
}

static bool has_code_for_gpus(const elf_file *f)
{
    return elf_section_named(f, ".nv_fatbin") ||
           elf_section_named(f, ".nvFatBinSegment");
}

runtime_found runtime_look(const elf_file *f)
{
    runtime_found is = {0};
    const char *name = elf_soname(f);
    unsigned own = generation_of(name), needed;
    const Elf64_Shdr *symbols;

    if (name && !strcmp(name, HEDDLE_CUDA_LIBRARY))
        return is;
    if (own) { /* what leads to that library has no functions in itself */
        if (!find_functions(f, elf_section_of(f, SHT_DYNSYM), &is))
            is.kind = RUNTIME_SHARED;
        is.generation = own;
        return is;
    }
    if ((needed = generation_needed(f)) != 0)
        return (runtime_found){.kind = RUNTIME_SHARED, .generation = needed};
    symbols = elf_section_of(f, SHT_SYMTAB);
    /* A runtime loads the driver. */
    if (symbols && imports(f, "dlopen") && find_functions(f, symbols, &is))
        return is;
    if (has_code_for_gpus(f))
        is.kind = imports(f, REGISTER) ? RUNTIME_SHARED : RUNTIME_STRIPPED;
    return is;
}
