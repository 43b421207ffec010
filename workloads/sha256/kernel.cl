/* SHA-256 of one message of four bytes per item; k holds the 64 constants of
 * the rounds and the 8 of the beginning. Word j of all digests, then j + 1. */
kernel void sha256(constant uint *k, global const uint *message,
                   global uint *digest, uint n)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    uint w[16], s[8];
#pragma unroll
    for (uint j = 0; j < 16; j++)
        w[j] = 0;
    w[0] = message[i];
    w[1] = 0x80000000u;
    w[15] = 32;
#pragma unroll
    for (uint j = 0; j < 8; j++)
        s[j] = k[64 + j];
    for (uint r = 0; r < 64; r += 16) {
#pragma unroll
        for (uint j = 0; j < 16; j++) {
            uint e = s[4], a = s[0];
            uint t1 = s[7] + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) +
                      bitselect(s[6], s[5], e) + k[r + j] + w[j];
            uint t2 = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) +
                      bitselect(a, s[1], s[2] ^ a);
#pragma unroll
            for (uint m = 7; m > 0; m--)
                s[m] = s[m - 1];
            s[4] += t1;
            s[0] = t1 + t2;
            uint x = w[(j + 1) % 16], y = w[(j + 14) % 16];
            w[j] += w[(j + 9) % 16] +
                    (rotate(x, 25u) ^ rotate(x, 14u) ^ x >> 3) +
                    (rotate(y, 15u) ^ rotate(y, 13u) ^ y >> 10);
        }
    }
#pragma unroll
    for (uint j = 0; j < 8; j++)
        digest[j * n + i] = s[j] + k[64 + j];
}
