/* tests/run/programs/parts.cu - of machine_code.cu, in another file. */
__constant__ float others[7] = {5, 6, 1, 2, 3, 4, 5};
__device__ int given[6] = {1, 2, 3};

__device__ float apart(float x) { return x * others[(int)x % 7] + given[1]; }
