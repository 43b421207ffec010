/* tests/fuzz/cuda_structures.c - structures for parameters, see
 * cuda_arguments.h. */
#include "cuda_arguments.h"

#include <string.h>

/* Seven times of eight what `of` is, else NULL. */
#define SOMETIMES(of) (argument_below(8) ? (of) : NULL)

/* With a pitch or a place that is huge, a box would begin in memory of nobody,
 * and so of the program. */
static size_t place(void) { return argument_span() & 511; }

dim3 argument_dim3(void)
{
    dim3 d = {argument_edge(), argument_edge(), argument_edge()};

    return d;
}

cudaExtent argument_extent(void)
{
    cudaExtent e = {SPAN, SPAN, SPAN};

    return e;
}

cudaPitchedPtr argument_pitched(void)
{
    cudaPitchedPtr p = {BYTES, place(), place(), place()};

    return p;
}

static cudaPos position(void)
{
    cudaPos p = {place(), place(), place()};

    return p;
}

cudaMemLocation argument_location(void)
{
    return (cudaMemLocation){SMALL, SMALL};
}

size_t argument_granules(void)
{
    return argument_below(16) ? (size_t)(1 + argument_below(3)) << 21 : SPAN;
}

CUmemAllocationProp *argument_properties(void)
{
    static CUmemAllocationProp p;

    p = (CUmemAllocationProp){
        .type = argument_below(8) ? 1 : SMALL,
        .requestedHandleTypes = argument_below(3),
        .location = {argument_below(8) ? 1 : SMALL, (int)argument_below(3)}};
    return SOMETIMES(&p);
}

CUmemAccessDesc *argument_access(void)
{
    static CUmemAccessDesc list[5];

    for (unsigned i = 0; i < 5; i++)
        list[i] = (CUmemAccessDesc){{1, (int)argument_below(3)},
                                    argument_below(4) ? 3 : SMALL};
    return list;
}

static cudaChannelFormatDesc format(void)
{
    static const int bits[] = {0, 8, 16, 32, 5, -1};
    int b = bits[argument_below(6)], channels = (int)argument_below(5);

    return (cudaChannelFormatDesc){b, channels > 1 ? b : 0,
                                   channels > 2 ? b : 0, channels > 3 ? b : 0,
                                   (cudaChannelFormatKind)argument_below(5)};
}

cudaChannelFormatDesc *argument_format(void)
{
    static cudaChannelFormatDesc f;

    f = format();
    return SOMETIMES(&f);
}

cudaMemcpy3DParms *argument_box(void)
{
    static cudaMemcpy3DParms p;

    memset(&p, 0, sizeof p);
    if (argument_below(2))
        p.srcArray = HANDLE(ARRAY);
    else
        p.srcPtr = PITCHED;
    if (argument_below(2))
        p.dstArray = HANDLE(ARRAY);
    if (!p.dstArray || !argument_below(8))
        p.dstPtr = PITCHED;
    p.srcPos = position();
    p.dstPos = position();
    p.extent = EXTENT;
    p.kind = (cudaMemcpyKind)SMALL;
    return SOMETIMES(&p);
}

cudaMemcpy3DPeerParms *argument_peer_box(void)
{
    static cudaMemcpy3DPeerParms p;
    const cudaMemcpy3DParms *b = BOX;

    if (!b)
        return NULL;
    p = (cudaMemcpy3DPeerParms){b->srcArray, b->srcPos,   b->srcPtr,
                                SMALL,       b->dstArray, b->dstPos,
                                b->dstPtr,   SMALL,       b->extent};
    return &p;
}

CUDA_MEMCPY2D *argument_box2(void)
{
    static CUDA_MEMCPY2D p;

    p = (CUDA_MEMCPY2D){.srcXInBytes = place(),
                        .srcY = place(),
                        .srcMemoryType = (CUmemorytype)argument_below(6),
                        .srcHost = BYTES,
                        .srcDevice = ADDRESS,
                        .srcArray = HANDLE(ARRAY),
                        .srcPitch = place(),
                        .dstXInBytes = place(),
                        .dstY = place(),
                        .dstMemoryType = (CUmemorytype)argument_below(6),
                        .dstHost = BYTES,
                        .dstDevice = ADDRESS,
                        .dstArray = HANDLE(ARRAY),
                        .dstPitch = place(),
                        .WidthInBytes = SPAN,
                        .Height = SPAN};
    return SOMETIMES(&p);
}

CUDA_MEMCPY3D *argument_box3(void)
{
    static CUDA_MEMCPY3D p;
    const CUDA_MEMCPY2D *b = BOX2;

    if (!b)
        return NULL;
    p = (CUDA_MEMCPY3D){.srcXInBytes = b->srcXInBytes,
                        .srcY = b->srcY,
                        .srcZ = place(),
                        .srcLOD = argument_below(4) / 3,
                        .srcMemoryType = b->srcMemoryType,
                        .srcHost = b->srcHost,
                        .srcDevice = b->srcDevice,
                        .srcArray = b->srcArray,
                        .reserved0 = SOMETIMES(HANDLE(CONTEXT)),
                        .srcPitch = b->srcPitch,
                        .srcHeight = place(),
                        .dstXInBytes = b->dstXInBytes,
                        .dstY = b->dstY,
                        .dstZ = place(),
                        .dstMemoryType = b->dstMemoryType,
                        .dstHost = b->dstHost,
                        .dstDevice = b->dstDevice,
                        .dstArray = b->dstArray,
                        .reserved1 = SOMETIMES(HANDLE(CONTEXT)),
                        .dstPitch = b->dstPitch,
                        .dstHeight = place(),
                        .WidthInBytes = b->WidthInBytes,
                        .Height = b->Height,
                        .Depth = SPAN};
    return &p;
}

/* ---- Graphs ---- */

CUDA_KERNEL_NODE_PARAMS_v2 *argument_kernel(void)
{
    static CUDA_KERNEL_NODE_PARAMS_v2 k;

    k = (CUDA_KERNEL_NODE_PARAMS_v2){
        .p = {SYMBOL, DIM3, DIM3, (unsigned)SPAN, ARGUMENTS, EXTRA},
        .kern = HANDLE(KERNEL),
        .ctx = HANDLE(CONTEXT)};
    return SOMETIMES(&k);
}

cudaMemsetParams *argument_fill(void)
{
    static cudaMemsetParams p;

    p = (cudaMemsetParams){BYTES, SPAN, (unsigned)SMALL, COUNT, SPAN, SPAN};
    return SOMETIMES(&p);
}

cudaHostNodeParams *argument_host_node(void)
{
    static cudaHostNodeParams p;

    p.fn = (cudaHostFn_t)(uintptr_t)argument_host_function();
    return SOMETIMES(&p);
}

cudaMemAllocNodeParams *argument_alloc(void)
{
    static cudaMemAllocNodeParams p;

    p = (cudaMemAllocNodeParams){.poolProps = {.allocType = SMALL,
                                               .handleTypes = SMALL,
                                               .location = argument_location()},
                                 .bytesize = SPAN};
    return SOMETIMES(&p);
}

cudaGraphNodeParams *argument_node(void)
{
    static cudaGraphNodeParams p;
    const CUDA_KERNEL_NODE_PARAMS_v2 *k = argument_kernel();
    const cudaMemcpy3DParms *b = BOX;
    const cudaMemsetParams *f = FILL_PARAMS;
    const cudaMemAllocNodeParams *a = ALLOC_PARAMS;

    memset(&p, 0, sizeof p);
    p.type = (cudaGraphNodeType)argument_below(15);
    if (p.type == cudaGraphNodeTypeKernel && k)
        p.kernel = k->p;
    else if (p.type == cudaGraphNodeTypeMemcpy && b)
        p.memcpy.copyParams = *b;
    else if (p.type == cudaGraphNodeTypeMemset && f)
        p.memset = *f;
    else if (p.type == cudaGraphNodeTypeHost)
        p.host.fn = (cudaHostFn_t)(uintptr_t)argument_host_function();
    else if (p.type == cudaGraphNodeTypeGraph)
        p.graph = HANDLE(GRAPH);
    else if (p.type == cudaGraphNodeTypeMemAlloc && a)
        p.alloc = *a;
    else if (p.type == cudaGraphNodeTypeMemFree)
        p.freed = BYTES;
    else
        p.event = HANDLE(EVENT);
    return SOMETIMES(&p);
}

/* ---- Textures ---- */

cudaResourceDesc *argument_resource(void)
{
    static cudaResourceDesc r;

    memset(&r, 0, sizeof r);
    r.resType = (cudaResourceType)argument_below(5);
    if (r.resType == cudaResourceTypeArray)
        r.res.array.array = HANDLE(ARRAY);
    else if (r.resType == cudaResourceTypeMipmappedArray)
        r.res.mipmap.mipmap = HANDLE(MIPMAP);
    else if (r.resType == cudaResourceTypeLinear) {
        r.res.linear.devPtr = BYTES;
        r.res.linear.desc = format();
        r.res.linear.sizeInBytes = SPAN;
    } else {
        r.res.pitch2D.devPtr = BYTES;
        r.res.pitch2D.desc = format();
        r.res.pitch2D.width = SPAN;
        r.res.pitch2D.height = SPAN;
        r.res.pitch2D.pitchInBytes = SPAN;
    }
    return SOMETIMES(&r);
}

cudaTextureDesc *argument_sampler(void)
{
    static cudaTextureDesc t;

    memset(&t, 0, sizeof t);
    for (unsigned i = 0; i < 3; i++)
        t.addressMode[i] = (cudaTextureAddressMode)argument_below(5);
    t.filterMode = (cudaTextureFilterMode)argument_below(3);
    t.readMode = (cudaTextureReadMode)argument_below(3);
    t.sRGB = !argument_below(8);
    t.normalizedCoords = (int)argument_below(2);
    t.mipmapFilterMode = (cudaTextureFilterMode)argument_below(3);
    t.maxMipmapLevelClamp = (float)SMALL;
    return SOMETIMES(&t);
}

cudaResourceViewDesc *argument_view(void)
{
    static cudaResourceViewDesc v;

    v = (cudaResourceViewDesc){(cudaResourceViewFormat)argument_below(40),
                               SPAN,
                               SPAN,
                               SPAN,
                               COUNT,
                               COUNT,
                               COUNT,
                               COUNT,
                               {0}};
    return argument_below(3) ? NULL : &v;
}

textureReference *argument_reference(void)
{
    static textureReference t;

    return SOMETIMES(&t);
}

/* ---- Launches ---- */

static cudaLaunchAttribute *attributes(void)
{
    static cudaLaunchAttribute list[5];

    for (unsigned i = 0; i < 5; i++) {
        list[i].id = (uint32_t)SMALL;
        list[i].val.clusterDim = DIM3;
    }
    return list;
}

cudaLaunchConfig_t *argument_launch(void)
{
    static cudaLaunchConfig_t l;

    l = (cudaLaunchConfig_t){DIM3,           DIM3,         SPAN,
                             HANDLE(STREAM), attributes(), COUNT};
    return SOMETIMES(&l);
}

CUlaunchConfig *argument_driver_launch(void)
{
    static CUlaunchConfig l;

    l = (CUlaunchConfig){EDGE,         EDGE, EDGE,           EDGE,
                         EDGE,         EDGE, (unsigned)SPAN, HANDLE(STREAM),
                         attributes(), COUNT};
    return SOMETIMES(&l);
}
