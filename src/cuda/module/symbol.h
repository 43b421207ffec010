/* src/cuda/module/symbol.h - copies to and from variables. With the lock. */
#ifndef CUDA_MODULE_SYMBOL_H
#define CUDA_MODULE_SYMBOL_H

#include "cuda/stream/op.h"

/* To the variable, or from it. */
cudaError_t symbol_copy(const void *symbol, size_t offset, const void *other,
                        size_t count, bool to_symbol, cu_copy *c);

#endif
