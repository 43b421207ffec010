#include "base/vendor_library.h"

#include "test.h"

TEST(libraries_are_known_by_their_files)
{
    CHECK_STR(vendor_library("libcufft.so.12"), "cuFFT");
    CHECK_STR(vendor_library("/opt/cuda/lib64/libnppif.so.11"), "NPP");
    CHECK_STR(vendor_library("libcudnn_ops.so.9"), "cuDNN");
}

/* These have a replacement, or nothing to do with the vendor. */
TEST(others_are_none_of_them)
{
    CHECK(!vendor_library("libcublas.so.12"));
    CHECK(!vendor_library("libcurand.so.10"));
    CHECK(!vendor_library("libcudart.so.12"));
    CHECK(!vendor_library("/libnpp/libc.so.6"));
    CHECK(!vendor_library(""));
}
