/* tests/hardware/attention/flash2.cu - how many TFLOP/s the forward kernel of
 * FlashAttention-2 reaches, by length of the sequences: 16384 tokens in all,
 * 2048 elements of all heads, as its authors measure it.
 *
 * The kernel is theirs: this is built with the folder csrc/flash_attn/src of
 * their repository and CUTLASS's headers, in place of their interface, which
 * needs torch. As in hardware_gemm, one wave is launched, as many CTAs as the
 * SMs take at once, with two lengths of keys; its time is carried on linearly
 * to other lengths, times the number of waves. Some rows are compared with the
 * host's. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "flash_fwd_launch_template.h"

using namespace FLASH_NAMESPACE;
using element = cutlass::half_t;

enum { TOKENS = 16384, WIDTH = 2048, ROWS = 128, QUERIES = 1024 };
static const int lengths[] = {512, 1024};

static void check(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "flash2: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

struct matrix {
    std::vector<element> host;
    element *at = nullptr;

    explicit matrix(size_t count, unsigned seed) : host(count)
    {
        for (element &x : host) {
            seed = seed * 1664525 + 1013904223;
            x = element(((int)(seed >> 16 & 255) - 128) / 128.0f);
        }
        check(cudaMalloc(&at, count * sizeof *at), "cudaMalloc");
        check(cudaMemcpy(at, host.data(), count * sizeof *at,
                         cudaMemcpyHostToDevice),
              "cudaMemcpy");
    }
    ~matrix() { cudaFree(at); }
};

/* Of the first head, some elements of some rows of the result. */
static bool is_right(const matrix &q, const matrix &k, const matrix &v,
                     const std::vector<element> &out, int depth, int keys,
                     double scale)
{
    for (int row = 0; row < QUERIES; row += 509) {
        std::vector<double> weight(keys);
        double sum = 0;

        for (int j = 0; j < keys; j++) {
            double x = 0;

            for (int d = 0; d < depth; d++)
                x += (double)float(q.host[(size_t)row * depth + d]) *
                     float(k.host[(size_t)j * depth + d]);
            sum += weight[j] = exp(x * scale);
        }
        for (int d = 0; d < depth; d += 7) {
            double want = 0;

            for (int j = 0; j < keys; j++)
                want += weight[j] * float(v.host[(size_t)j * depth + d]);
            if (!(fabs(want / sum - float(out[(size_t)row * depth + d])) <
                  0.002))
                return false;
        }
    }
    return true;
}

template <typename traits, typename kernel_type>
static double seconds_of(kernel_type kernel, int heads, int keys)
{
    enum { D = traits::kHeadDim };
    size_t count = (size_t)heads * QUERIES * D;
    matrix q(count, 1), k((size_t)heads * keys * D, 2),
        v((size_t)heads * keys * D, 3), out(count, 4);
    cudaEvent_t begin, end;
    Flash_fwd_params p;
    float *sums, ms;

    check(cudaMalloc(&sums, (size_t)heads * QUERIES * sizeof *sums), "sums");
    memset(&p, 0, sizeof p);
    p.q_ptr = q.at;
    p.k_ptr = k.at;
    p.v_ptr = v.at;
    p.o_ptr = out.at;
    p.softmax_lse_ptr = sums;
    p.b = heads; /* as batches of one head each */
    p.h = p.h_k = p.h_h_k_ratio = 1;
    p.d = p.d_rounded = D;
    p.seqlen_q = p.seqlen_q_rounded = QUERIES;
    p.seqlen_k = p.seqlen_k_rounded = keys;
    p.q_batch_stride = p.o_batch_stride = (int64_t)QUERIES * D;
    p.k_batch_stride = p.v_batch_stride = (int64_t)keys * D;
    p.q_row_stride = p.k_row_stride = p.v_row_stride = p.o_row_stride = D;
    p.scale_softmax = 1 / sqrtf(D);
    p.scale_softmax_log2 = p.scale_softmax * (float)M_LOG2E;
    p.p_dropout = p.rp_dropout = 1;
    p.p_dropout_in_uint8_t = 255;
    p.scale_softmax_rp_dropout = p.scale_softmax;
    p.window_size_left = p.window_size_right = -1;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
    for (int i = 0; i < 2; i++) { /* the first warms the caches up */
        check(cudaEventRecord(begin), "cudaEventRecord");
        kernel<<<dim3(QUERIES / ROWS, heads), traits::kNThreads,
                 traits::kSmemSize>>>(p);
        check(cudaGetLastError(), "launch");
        check(cudaEventRecord(end), "cudaEventRecord");
        check(cudaEventSynchronize(end), "kernel");
    }
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    check(cudaMemcpy(out.host.data(), out.at, count * sizeof *out.at,
                     cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    if (!is_right(q, k, v, out.host, D, keys, p.scale_softmax)) {
        fprintf(stderr, "flash2: heads of %d, %d keys: wrong\n", (int)D, keys);
        exit(1);
    }
    cudaFree(sums);
    return ms * 1e-3;
}

template <int D, int KEYS> static void forward(int sms)
{
    using traits =
        Flash_fwd_kernel_traits<D, ROWS, KEYS, 4, false, false, element>;
    auto kernel = &flash_fwd_kernel<traits, false, false, false, false, true,
                                    true, false, false>;
    int each = 0;

    check(cudaFuncSetAttribute(kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               traits::kSmemSize),
          "cudaFuncSetAttribute");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &each, kernel, traits::kNThreads, traits::kSmemSize),
          "occupancy");
    int wave = sms * each, heads = wave / (QUERIES / ROWS);
    double s[2];

    for (int i = 0; i < 2; i++)
        s[i] = seconds_of<traits>(kernel, heads, lengths[i]);
    double slope = (s[1] - s[0]) / (lengths[1] - lengths[0]);
    double waves = ceil(TOKENS / ROWS * (WIDTH / D) / (double)wave);

    for (int n = 512; n <= TOKENS; n *= 2) {
        double time = waves * (s[0] + slope * (n - lengths[0]));

        printf("attention,forward_%d,%d,%.1f\n", D, n,
               4.0 * TOKENS * n * WIDTH / time * 1e-12);
    }
}

int main(int argc, char **argv)
{
    cudaDeviceProp is;

    check(cudaGetDeviceProperties(&is, 0), "cudaGetDeviceProperties");
    if (argc > 1 && atoi(argv[1]) == 64)
        forward<64, 128>(is.multiProcessorCount);
    else
        forward<128, 64>(is.multiProcessorCount);
    return 0;
}
