#!/bin/sh
# tests/run/images.sh - OpenCL C kernels copy images of every kind through the
# prelude's functions, with and without sampler, on the machine and without it;
# what a launch file says wrong of images is named with its place.
. "$(dirname "$0")/../lib.sh"
need_heddle

cat >"$tmp/wrong.yaml" <<'Y'
images:
  a: {size: [4, 4], type: unorm7}
launches: [{kernel: k, args: [a]}]
Y
expect "a wrong type of image" 3 'wrong.yaml:2:27: .*did you mean' -- \
    "$heddle" run x.ptx --launch "$tmp/wrong.yaml"
need_opencl_c

cat >"$tmp/k.cl" <<'K'
constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP |
                          CLK_FILTER_NEAREST;
#define AT (int)get_global_id(0)
#define X  (AT % get_image_width(from))
#define Y  (AT / get_image_width(from) % get_image_height(from))
#define Z  (AT / get_image_width(from) / get_image_height(from))
#define COPY(name, type, read, write, at, ...)                                 \
    kernel void name(read_only type from, write_only type to)                  \
    {                                                                          \
        write(to, at, read(from, __VA_ARGS__));                                \
    }
#define CENTRE 0.5f
COPY(row, image1d_t, read_imagef, write_imagef, X, near, X + CENTRE)
COPY(list, image1d_buffer_t, read_imageui, write_imageui, X, X)
COPY(rows, image1d_array_t, read_imagei, write_imagei, (int2)(X, AT / 8), near,
     (float2)(X + CENTRE, AT / 8))
COPY(plane, image2d_t, read_imagef, write_imagef, (int2)(X, Y),
     (int2)(X, Y))
COPY(planes, image2d_array_t, read_imageui, write_imageui,
     (int4)(X, Y, Z, 0), near, (int4)(X, Y, Z, 0))
COPY(box, image3d_t, read_imagef, write_imagef, (int4)(X, Y, Z, 0), near,
     (float4)(X + CENTRE, Y + CENTRE, Z + CENTRE, 0))

/* What images say of themselves, a number each. */
kernel void ask(read_only image2d_array_t a, write_only image3d_t b,
                global int *out)
{
    out[0] = get_image_width(a);
    out[1] = get_image_dim(a).y;
    out[2] = (int)get_image_array_size(a);
    out[3] = get_image_channel_order(a) == CLK_RGBA;
    out[4] = get_image_channel_data_type(a) == CLK_UNSIGNED_INT16;
    out[5] = get_image_dim(b).z;
    out[6] = get_image_depth(b);
    out[7] = get_image_height(b);
}
K
{
    echo "program: k.ptx"
    echo "images:"
    for end in '' 2; do
        init=iota
        [ -z "$end" ] || init=zero
        cat <<Y
  row$end: {kind: 1d, size: 64, type: unorm16, init: $init}
  list$end: {kind: buffer, size: 64, order: rg, type: u32, init: $init}
  rows$end: {kind: 1d_array, size: 8, layers: 8, order: r, type: s16, init: $init}
  plane$end: {size: [16, 4], order: bgra, type: unorm8, init: $init}
  planes$end: {kind: 2d_array, size: [4, 4], layers: 4, type: u16, init: $init}
  box$end: {kind: 3d, size: [4, 4, 4], order: rg, type: f16, init: $init}
Y
    done
    echo "buffers: {out: {type: s32, count: 8, init: zero}}"
    echo "launches:"
    for kind in row list rows plane planes box; do
        echo "  - {kernel: $kind, grid: 2, block: 32, args: [$kind, ${kind}2]}"
    done
    echo "  - {kernel: ask, args: [planes, box, out]}"
    printf 'dump: {out: out.raw'
    for kind in row list rows plane planes box; do
        printf ', %s: %s.raw, %s2: %s2.raw' $kind $kind $kind $kind
    done
    echo '}'
} >"$tmp/l.yaml"

expect "every function of images compiles" 0 -- \
    "$root/tools/ptxcc" "$tmp/k.cl" -o "$tmp/k.ptx"
for how in "--gpu v100" "--gpu k20" "--gpu gtx480 --functional"; do
    rm -f "$tmp"/*.raw
    # shellcheck disable=SC2086  # options are words
    expect "images are copied, $how" 0 -- \
        "$heddle" run --launch "$tmp/l.yaml" $how
    for kind in row list rows plane planes box; do
        expect "the $kind arrives, $how" 0 -- \
            cmp "$tmp/$kind.raw" "$tmp/${kind}2.raw"
    done
    expect "they know themselves, $how" 0 '^ *4 *4 *4 *1 *1 *4 *4 *4$' -- \
        od -An -w32 -t d4 "$tmp/out.raw"
done
finish
