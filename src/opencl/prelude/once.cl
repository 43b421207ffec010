/* src/opencl/prelude/once.cl - what an executable has once, however many units
 * it is linked from: PTX cannot tell the names of several apart. */

/* Of work_group_ functions: room for a value of each warp and one of all. */
__asm__(".shared .align 8 .b8 heddle_group[272];");
