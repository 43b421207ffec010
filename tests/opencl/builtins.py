#!/usr/bin/env python3
# tests/opencl/builtins.py [PART...] | --list - writes OpenCL C that calls every
# built-in function of OpenCL C 1.2 in every type and width
# [OCL12:built-in-functions], to see that each has a body and can be selected;
# the part `newer` those of 3.0. A kernel is named after what it calls.
import sys

WIDTHS = (1, 2, 3, 4, 8, 16)
INTS = ('char', 'uchar', 'short', 'ushort', 'int', 'uint', 'long', 'ulong')
FLOATS = ('float', 'double')
ALL = INTS + FLOATS
SIZE = {'char': 1, 'uchar': 1, 'short': 2, 'ushort': 2, 'int': 4, 'uint': 4,
        'long': 8, 'ulong': 8, 'float': 4, 'double': 8, 'half': 2}
SIGNED = {'uchar': 'char', 'ushort': 'short', 'uint': 'int', 'ulong': 'long'}
TRUTH = {'float': 'int', 'double': 'long'} # of vectors; scalars give int

MATH_1 = '''acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil
cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs floor lgamma log log2 log10
log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma
trunc'''.split()
MATH_2 = '''atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag
nextafter pow powr remainder'''.split()
FAST_1 = 'cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan'.split()
FAST_2 = 'divide powr'.split()
TESTS_1 = 'isfinite isinf isnan isnormal signbit'.split()
TESTS_2 = '''isequal isnotequal isgreater isgreaterequal isless islessequal
islessgreater isordered isunordered'''.split()
INT_2 = 'abs_diff add_sat hadd rhadd max min mul_hi rotate sub_sat'.split()


def vec(t, n):
    return t if n == 1 else t + str(n)


class Writer:
    def __init__(self):
        self.kernels = []
        self.lines = []
        self.slot = 0
        self.arguments = '' # besides m, l and c

    def kernel(self, name):
        self.flush()
        self.name = name

    def flush(self):
        if self.lines:
            self.kernels.append('kernel void k_%s(global char *m, local char '
                                '*l, constant char *c%s)\n{\n%s}\n' %
                                (self.name, self.arguments,
                                 ''.join(self.lines)))
        self.lines = []
        self.slot = 0

    def at(self, t, space='global', base='m'):
        self.slot += 1
        return '*(%s %s *)(%s + %d)' % (space, t, base, self.slot * 128)

    # NAME(ARGS...) of these types; '*T' is the address of a private T.
    def call(self, result, name, *args):
        decls, exprs, after = '', [], ''
        for i, a in enumerate(args):
            if a.startswith('*'):
                decls += '%s p%d; ' % (a[1:], i)
                exprs.append('&p%d' % i)
                after += self.at(a[1:]) + ' = p%d; ' % i
            else:
                exprs.append(self.at(a))
        text = '%s(%s)' % (name, ', '.join(exprs))
        self.slot += 1
        text = self.at(result) + ' = ' + text
        self.lines.append('    { %s%s; %s}\n' % (decls, text, after))

    def raw(self, text):
        self.lines.append('    ' + text + '\n')


def math(w):
    for t in FLOATS:
        for name in MATH_1:
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                w.call(vec(t, n), name, vec(t, n))
        for name in MATH_2:
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                w.call(vec(t, n), name, vec(t, n), vec(t, n))
                if name in ('fmax', 'fmin') and n > 1:
                    w.call(vec(t, n), name, vec(t, n), t)
        for name in ('fma', 'mad'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                w.call(vec(t, n), name, *[vec(t, n)] * 3)
        for name in ('fract', 'modf', 'sincos'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                w.call(vec(t, n), name, vec(t, n), '*' + vec(t, n))
                for space, base in (('global', 'm'), ('local', 'l')):
                    w.raw('%s = %s(%s, &%s);' % (
                        w.at(vec(t, n)), name, w.at(vec(t, n)),
                        w.at(vec(t, n), space, base)))
        for name in ('frexp', 'lgamma_r'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                w.call(vec(t, n), name, vec(t, n), '*' + vec('int', n))
                for space, base in (('global', 'm'), ('local', 'l')):
                    w.raw('%s = %s(%s, &%s);' % (
                        w.at(vec(t, n)), name, w.at(vec(t, n)),
                        w.at(vec('int', n), space, base)))
        w.kernel('remquo_' + t)
        for n in WIDTHS:
            v = vec(t, n)
            w.call(v, 'remquo', v, v, '*' + vec('int', n))
            for space, base in (('global', 'm'), ('local', 'l')):
                w.raw('%s = remquo(%s, %s, &%s);' % (
                    w.at(v), w.at(v), w.at(v),
                    w.at(vec('int', n), space, base)))
        for name in ('ldexp', 'pown', 'rootn'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                w.call(vec(t, n), name, vec(t, n), vec('int', n))
                if name == 'ldexp' and n > 1:
                    w.call(vec(t, n), name, vec(t, n), 'int')
        w.kernel('ilogb_' + t)
        for n in WIDTHS:
            w.call(vec('int', n), 'ilogb', vec(t, n))
        w.kernel('nan_' + t)
        for n in WIDTHS:
            w.call(vec(t, n), 'nan',
                   vec({'float': 'uint', 'double': 'ulong'}[t], n))
    for form in ('half_', 'native_'):
        for name in FAST_1:
            w.kernel(form + name)
            for n in WIDTHS:
                w.call(vec('float', n), form + name, vec('float', n))
        for name in FAST_2:
            w.kernel(form + name)
            for n in WIDTHS:
                w.call(vec('float', n), form + name, *[vec('float', n)] * 2)


def common(w):
    for t in FLOATS:
        for name in ('degrees', 'radians', 'sign'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                w.call(vec(t, n), name, vec(t, n))
        for name in ('max', 'min', 'step'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                v = vec(t, n)
                w.call(v, name, v, v)
                if n > 1:
                    w.call(v, name, *((t, v) if name == 'step' else (v, t)))
        for name in ('clamp', 'mix', 'smoothstep'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                v = vec(t, n)
                w.call(v, name, v, v, v)
                if n > 1:
                    w.call(v, name, *{'clamp': (v, t, t), 'mix': (v, v, t),
                                      'smoothstep': (t, t, v)}[name])
        for name in ('dot', 'distance', 'fast_distance'):
            if name.startswith('fast') and t != 'float':
                continue
            w.kernel(name + '_' + t)
            for n in (1, 2, 3, 4):
                w.call(t, name, vec(t, n), vec(t, n))
        for name in ('length', 'normalize', 'fast_length', 'fast_normalize'):
            if name.startswith('fast') and t != 'float':
                continue
            w.kernel(name + '_' + t)
            for n in (1, 2, 3, 4):
                w.call(vec(t, n) if 'norm' in name else t, name, vec(t, n))
        w.kernel('cross_' + t)
        for n in (3, 4):
            w.call(vec(t, n), 'cross', vec(t, n), vec(t, n))


def relational(w):
    for t in FLOATS:
        for count, names in ((1, TESTS_1), (2, TESTS_2)):
            for name in names:
                w.kernel(name + '_' + t)
                for n in WIDTHS:
                    w.call('int' if n == 1 else vec(TRUTH[t], n), name,
                           *[vec(t, n)] * count)
    for t in ALL:
        if t in INTS and t not in SIGNED:
            w.kernel('anyall_' + t)
            for n in WIDTHS:
                w.call('int', 'any', vec(t, n))
                w.call('int', 'all', vec(t, n))
        w.kernel('select_' + t)
        for n in WIDTHS:
            v = vec(t, n)
            w.call(v, 'bitselect', v, v, v)
            size = SIZE[t]
            for i in INTS:
                if SIZE[i] == size:
                    w.call(v, 'select', v, v, vec(i, n))


def integer(w):
    for t in INTS:
        u = t if t not in SIGNED.values() else 'u' + t
        for name in INT_2:
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                v = vec(t, n)
                w.call(vec(u, n) if name == 'abs_diff' else v, name, v, v)
                if name in ('max', 'min') and n > 1:
                    w.call(v, name, v, t)
        for name in ('abs', 'clz', 'popcount'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                w.call(vec(u if name == 'abs' else t, n), name, vec(t, n))
        for name in ('mad_hi', 'mad_sat', 'clamp'):
            w.kernel(name + '_' + t)
            for n in WIDTHS:
                v = vec(t, n)
                w.call(v, name, v, v, v)
                if name == 'clamp' and n > 1:
                    w.call(v, name, v, t, t)
        if SIZE[t] == 4:
            w.kernel('24bit_' + t)
            for n in WIDTHS:
                w.call(vec(t, n), 'mul24', *[vec(t, n)] * 2)
                w.call(vec(t, n), 'mad24', *[vec(t, n)] * 3)
    for lo, hi, wide in (('uchar', 'char', 'short'), ('uchar', 'uchar',
                         'ushort'), ('ushort', 'short', 'int'),
                         ('ushort', 'ushort', 'uint'), ('uint', 'int',
                         'long'), ('uint', 'uint', 'ulong')):
        w.kernel('upsample_' + wide)
        for n in WIDTHS:
            w.call(vec(wide, n), 'upsample', vec(hi, n), vec(lo, n))


def convert(w):
    for to in ALL:
        for sat in ('', '_sat') if to in INTS else ('',):
            for mode in ('', '_rte', '_rtz', '_rtp', '_rtn'):
                w.kernel('convert_' + to + sat + mode)
                for n in WIDTHS:
                    for t in ALL:
                        w.call(vec(to, n), 'convert_' + vec(to, n) + sat +
                               mode, vec(t, n))
    w.kernel('as_type')
    for t in ALL:
        for to in ALL:
            for n in WIDTHS:
                if SIZE[t] == SIZE[to]:
                    w.call(vec(to, n), 'as_' + vec(to, n), vec(t, n))


SPACES = (('global', 'm'), ('local', 'l'), ('private', 'p'), ('constant', 'c'))


def memory(w):
    for t in ALL + ('half',):
        for n in (2, 3, 4, 8, 16):
            w.kernel('vload_%s%d' % (t, n))
            if t == 'half':
                break
            w.raw('%s p[99];' % t)
            for space, base in SPACES:
                w.raw('%s = vload%d(%s, (const %s %s *)%s);' % (
                    w.at(vec(t, n)), n, w.at('ulong'), space, t, base))
                if space != 'constant':
                    w.raw('vstore%d(%s, %s, (%s %s *)%s);' % (
                        n, w.at(vec(t, n)), w.at('ulong'), space, t, base))
    for n in WIDTHS:
        for a in ('', 'a') if n > 1 else ('',):
            w.kernel('vload%s_half%d' % (a, n))
            w.raw('short p[99];')
            f = 'vload%s_half%s' % (a, n if n > 1 else '')
            s = 'vstore%s_half%s' % (a, n if n > 1 else '')
            for space, base in SPACES:
                w.raw('%s = %s(%s, (const %s half *)%s);' % (
                    w.at(vec('float', n)), f, w.at('ulong'), space, base))
                if space == 'constant':
                    continue
                for t in FLOATS:
                    for mode in ('', '_rte', '_rtz', '_rtp', '_rtn'):
                        w.raw('%s%s(%s, %s, (%s half *)%s);' % (
                            s, mode, w.at(vec(t, n)), w.at('ulong'), space,
                            base))
    for t in ALL:
        w.kernel('copy_' + t)
        w.raw('event_t e = 0; size_t n = get_global_size(0);')
        for n in WIDTHS:
            v = vec(t, n)
            for form, more in (('', ''), ('_strided', ', 3')):
                w.raw('e = async_work_group%s_copy((local %s *)l, (const '
                      'global %s *)m, n%s, e);' % (form, v, v, more))
                w.raw('e = async_work_group%s_copy((global %s *)m, (const '
                      'local %s *)l, n%s, e);' % (form, v, v, more))
            w.raw('prefetch((const global %s *)m, n);' % v)
        w.raw('wait_group_events(1, &e);')
    for t in ALL:
        mask = {1: 'uchar', 2: 'ushort', 4: 'uint', 8: 'ulong'}[SIZE[t]]
        w.kernel('shuffle_' + t)
        for n in (2, 4, 8, 16):
            for m in (2, 4, 8, 16):
                w.call(vec(t, n), 'shuffle', vec(t, m), vec(mask, n))
                w.call(vec(t, n), 'shuffle2', vec(t, m), vec(t, m),
                       vec(mask, n))


def atomic(w):
    for form, types in (('atomic_', ('int', 'uint')),
                        ('atom_', ('int', 'uint', 'long', 'ulong'))):
        for t in types:
            w.kernel(form + t)
            for space, base in (('global', 'm'), ('local', 'l')):
                p = '(volatile %s %s *)%s' % (space, t, base)
                for name in ('add', 'sub', 'xchg', 'and', 'or', 'xor', 'min',
                             'max'):
                    w.raw('%s = %s%s(%s, %s);' % (w.at(t), form, name, p,
                                                  w.at(t)))
                for name in ('inc', 'dec'):
                    w.raw('%s = %s%s(%s);' % (w.at(t), form, name, p))
                w.raw('%s = %scmpxchg(%s, %s, %s);' % (
                    w.at(t), form, p, w.at(t), w.at(t)))
    w.kernel('atomic_xchg_float')
    w.raw('*(global float *)m = atomic_xchg((volatile global float *)m, 2.f);')
    w.raw('*(local float *)l = atomic_xchg((volatile local float *)l, 2.f);')


def other(w):
    w.kernel('work_items')
    for name in ('global_size', 'global_id', 'local_size', 'local_id',
                 'num_groups', 'group_id', 'global_offset'):
        for d in ('0', '1', '2', '3', w.at('uint')):
            w.raw('%s = get_%s(%s);' % (w.at('ulong'), name, d))
    w.raw('%s = get_work_dim();' % w.at('uint'))
    w.kernel('fences')
    for flags in ('CLK_LOCAL_MEM_FENCE', 'CLK_GLOBAL_MEM_FENCE',
                  'CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE'):
        for name in ('barrier', 'mem_fence', 'read_mem_fence',
                     'write_mem_fence'):
            w.raw('%s(%s);' % (name, flags))
    w.kernel('vec_step')
    for t in ALL:
        for n in WIDTHS:
            w.raw('%s = vec_step(%s);' % (w.at('int'), vec(t, n)))
    w.kernel('printing')
    for t, f in (('int', 'hld'), ('float', 'hlg'), ('short', 'hd'),
                 ('char', 'hhd'), ('long', 'ld'), ('double', 'lg')):
        for n in WIDTHS[1:]:
            w.raw('printf("%%v%d%s\\n", %s);' % (n, f, w.at(vec(t, n))))
    w.raw('printf("%%s %%c %%p %%d\\n", "a", \'b\', m, 1);')


# Kind of image, coordinates with a sampler, and of texels.
IMAGES = (('1d', ('int', 'float'), 'int'), ('1d_buffer', (), 'int'),
          ('1d_array', ('int2', 'float2'), 'int2'),
          ('2d', ('int2', 'float2'), 'int2'),
          ('2d_array', ('int4', 'float4'), 'int4'),
          ('3d', ('int4', 'float4'), 'int4'))


def image(w):
    values = (('f', 'float4'), ('i', 'int4'), ('ui', 'uint4'))
    for kind, sampled, texel in IMAGES:
        for access in ('read_only', 'write_only'):
            w.kernel('%s_%s' % (access, kind))
            w.arguments = ', %s image%s_t i, sampler_t s' % (access, kind)
            for name, t in values:
                if access == 'write_only':
                    w.raw('write_image%s(i, %s, %s);' % (name, w.at(texel),
                                                         w.at(t)))
                    continue
                w.raw('%s = read_image%s(i, %s);' % (w.at(t), name,
                                                     w.at(texel)))
                for c in sampled:
                    w.raw('%s = read_image%s(i, s, %s);' % (
                        w.at(t), name, w.at(c)))
            asks = ['width', 'channel_data_type', 'channel_order']
            asks += ['height'] if kind[0] in '23' else []
            asks += ['depth'] if kind == '3d' else []
            asks += ['array_size'] if 'array' in kind else []
            for ask in asks:
                w.raw('%s = get_image_%s(i);' % (w.at('int'), ask))
            if kind[0] in '23':
                w.raw('%s = get_image_dim(i);' % w.at(
                    'int4' if kind == '3d' else 'int2'))
    w.flush()
    w.arguments = ''


# What OpenCL C 3.0 has besides.
def newer(w):
    for t in INTS:
        w.kernel('ctz_' + t)
        for n in WIDTHS:
            w.call(vec(t, n), 'ctz', vec(t, n))
    w.kernel('sizes')
    w.raw('%s = get_enqueued_local_size(0);' % w.at('ulong'))
    for name in ('get_global_linear_id', 'get_local_linear_id',
                 'get_sub_group_size', 'get_max_sub_group_size',
                 'get_num_sub_groups', 'get_enqueued_num_sub_groups',
                 'get_sub_group_id', 'get_sub_group_local_id'):
        w.raw('%s = %s();' % (w.at('ulong'), name))
    for t in ('int', 'uint', 'long', 'ulong', 'float', 'double'):
        w.kernel('groups_' + t)
        for group in ('work_group', 'sub_group'):
            w.call(t, group + '_broadcast', t, 'uint')
            for op in ('add', 'min', 'max'):
                for form in ('reduce', 'scan_inclusive', 'scan_exclusive'):
                    w.call(t, '%s_%s_%s' % (group, form, op), t)
            w.call('int', group + '_all', 'int')
            w.call('int', group + '_any', 'int')
            w.raw(group + '_barrier(CLK_LOCAL_MEM_FENCE);')
        w.call(t, 'work_group_broadcast', t, 'uint', 'uint')
        w.call(t, 'work_group_broadcast', t, 'uint', 'uint', 'uint')
    orders = ('', ', memory_order_acq_rel',
              ', memory_order_relaxed, memory_scope_work_group')
    for t in ('int', 'uint', 'long', 'ulong', 'float', 'double'):
        w.kernel('objects_' + t)
        w.raw('%s e = 1;' % t)
        for space, base in (('global', 'm'), ('local', 'l')):
            p = '(volatile %s atomic_%s *)%s' % (space, t, base)
            w.raw('atomic_init(%s, 1);' % p)
            for o in orders:
                x = '_explicit' if o else ''
                w.raw('%s = atomic_load%s(%s%s);' % (w.at(t), x, p, o))
                w.raw('atomic_store%s(%s, 1%s);' % (x, p, o))
                ops = ['exchange']
                if t in INTS:
                    ops += ['fetch_' + op for op in
                            'add sub or xor and min max'.split()]
                for op in ops:
                    w.raw('%s = atomic_%s%s(%s, %s%s);' % (
                        w.at(t), op, x, p, w.at(t), o))
                fail = ', memory_order_relaxed' if o else ''
                first, _, rest = o[2:].partition(', ')
                for kind in ('strong', 'weak'):
                    w.raw('%s = atomic_compare_exchange_%s%s(%s, &e, 2%s%s%s);'
                          % (w.at('int'), kind, x, p, o and ', ' + first,
                             fail, rest and ', ' + rest))
    w.kernel('flags')
    for space, base in (('global', 'm'), ('local', 'l')):
        p = '(volatile %s atomic_flag *)%s' % (space, base)
        w.raw('%s = atomic_flag_test_and_set(%s);' % (w.at('int'), p))
        w.raw('atomic_flag_clear_explicit(%s, memory_order_release);' % p)
    w.raw('atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel,'
          ' memory_scope_work_group);')


PARTS = {'math': math, 'common': common, 'relational': relational,
         'integer': integer, 'convert': convert, 'memory': memory,
         'atomic': atomic, 'other': other, 'image': image, 'newer': newer}


def main():
    args = sys.argv[1:]
    if '--list' in args:
        print(' '.join(PARTS))
        return
    parts = [a for a in args if a in PARTS] or list(PARTS)[:-1]
    w = Writer()
    for p in parts:
        PARTS[p](w)
    w.flush()
    print('''/* made by tests/opencl/builtins.py */
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable''')
    print('\n'.join(w.kernels))


main()
