/* Libraries that are not there: one sentence each, and an error. */
#include <unistd.h>

#include "test.h"

int cufftPlan1d(int *plan, int n, int type, int batch);
int cufftDestroy(int plan);
int cusparseCreate(void **handle);
const char *cusparseGetErrorString(int status);
int cusolverDnCreate(void **handle);
int cudnnCreate(void **handle);
const char *cudnnGetErrorString(int status);
int ncclGetUniqueId(void *id);
int nvtxRangePushA(const char *name);
int nvtxRangePop(void);

static FILE *said;
static int kept;

static void listen(void)
{
    said = tmpfile();
    kept = dup(2);
    dup2(fileno(said), 2);
}

/* What was said on stderr since. */
static size_t heard(char *text, size_t room)
{
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    rewind(said);
    size_t n = fread(text, 1, room - 1, said);
    text[n] = '\0';
    fclose(said);
    return n;
}

TEST(a_library_says_once_that_it_is_not_there)
{
    char text[1024];
    int plan = 0, codes[3];

    listen();
    codes[0] = cufftPlan1d(&plan, 8, 0x29, 1);
    codes[1] = cufftPlan1d(&plan, 8, 0x29, 1);
    codes[2] = cufftDestroy(plan);
    heard(text, sizeof text);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(codes[i], 16); /* CUFFT_NOT_SUPPORTED */
    CHECK_STR(text,
              "heddle: cufftPlan1d: there is no cuFFT on Heddle: the vendor's "
              "cannot run, and Heddle has none of its own. All its functions "
              "return CUFFT_NOT_SUPPORTED; take the program's path without "
              "cuFFT, if it has one\n");
}

/* By the enumerations of the vendor's headers. */
TEST(each_returns_an_error_of_its_own)
{
    char text[4096];
    int codes[4];
    void *handle;

    listen();
    codes[0] = cusparseCreate(&handle);
    codes[1] = cusolverDnCreate(&handle);
    codes[2] = cudnnCreate(&handle);
    codes[3] = ncclGetUniqueId(text);
    heard(text, sizeof text);
    CHECK_EQ(codes[0], 10);
    CHECK_EQ(codes[1], 9);
    CHECK_EQ(codes[2], 3000);
    CHECK_EQ(codes[3], 5);
    CHECK(strstr(text, "no cuSPARSE") && strstr(text, "no NCCL"));
}

/* What error handling prints is a text, not a number. */
TEST(texts_of_errors_can_be_printed)
{
    CHECK_STR(cusparseGetErrorString(10), "cuSPARSE is not there on Heddle");
    CHECK_STR(cudnnGetErrorString(3000), "cuDNN is not there on Heddle");
}

TEST(marks_for_profilers_are_silent)
{
    char text[64];

    listen();
    nvtxRangePushA("work");
    nvtxRangePop();
    CHECK_EQ(heard(text, sizeof text), 0);
}
