/* cublasLt: programs make a handle at their start; products are refused. */
#include "test.h"

#include "cublas.h"

int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtMatmul(void *handle);
const char *cublasLtGetStatusName(int status);

TEST(handles_are_made_and_products_refused)
{
    void *handle = NULL;

    CHECK_EQ(cublasLtCreate(&handle), OK);
    CHECK(handle);
    CHECK_EQ(cublasLtMatmul(handle), NOT_SUPPORTED);
    CHECK_EQ(cublasLtDestroy(handle), OK);
    CHECK_EQ(cublasLtCreate(NULL), INVALID_VALUE);
    CHECK_STR(cublasLtGetStatusName(NOT_SUPPORTED),
              "CUBLAS_STATUS_NOT_SUPPORTED");
}
