/* Every work item interprets the same byte code on its own input: a stack in
 * private memory, a switch per instruction, jumps that depend on the data. One
 * instruction per word, operation in the low byte, operand above it; ref.c
 * has the list. */
__attribute__((noinline)) static uint mix32(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x * 0x846ca68bu;
}

kernel void interpret(global const uint *code, global const uint *input,
                      global uint *output, uint n, uint limit)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    uint stack[16];
    uint top = 0, pc = 0, steps = 0, a;
    stack[0] = input[i];
    for (; steps < limit; steps++) {
        uint word = code[pc++], arg = word >> 8;
        switch (word & 255) {
        case 0: /* halt */
            output[i] = stack[top & 15];
            return;
        case 1: /* push */
            stack[++top & 15] = arg;
            continue;
        case 2: /* copy */
            a = stack[(top - arg) & 15];
            stack[++top & 15] = a;
            continue;
        case 3: /* drop */
            top -= arg;
            continue;
        case 4: /* add */
            a = stack[top-- & 15];
            stack[top & 15] += a;
            continue;
        case 5: /* subtract */
            a = stack[top-- & 15];
            stack[top & 15] -= a;
            continue;
        case 6: /* multiply */
            a = stack[top-- & 15];
            stack[top & 15] *= a;
            continue;
        case 7: /* remainder */
            a = stack[top-- & 15];
            stack[top & 15] %= a | 1;
            continue;
        case 8: /* mix */
            stack[top & 15] = mix32(stack[top & 15]);
            continue;
        case 9: /* jump if not zero */
            if (stack[top-- & 15])
                pc = arg;
            continue;
        case 10: /* jump */
            pc = arg;
            continue;
        case 11: /* store below */
            a = stack[top & 15];
            stack[(top - arg) & 15] = a;
            continue;
        default:
            break;
        }
        break;
    }
    output[i] = 0xdead0000u + steps;
}
