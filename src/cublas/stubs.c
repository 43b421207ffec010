/* Names of the library that are not there: see cublas_missing.def. */
#include "cublas/api.h"
#include "cuda_library/stub.h"

#define MISSING(name) LIBRARY_STUB(name, CUBLAS_STATUS_NOT_SUPPORTED)
#include "cublas/cublas_missing.def"
#undef MISSING
