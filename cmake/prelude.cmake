# The OpenCL prelude as a C string, for the driver: src/opencl/prelude/prelude.cl
# with each #include "FILE" of it replaced by that file.
#   heddle_prelude   what it is linked from (opencl/program/prelude.h declares it)
set(prelude_dir ${CMAKE_SOURCE_DIR}/src/opencl/prelude)
file(GLOB prelude_parts CONFIGURE_DEPENDS ${prelude_dir}/*.cl)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/gen/opencl_prelude.c
    COMMAND ${CMAKE_COMMAND} -D DIR=${prelude_dir}
        -D OUT=${CMAKE_BINARY_DIR}/gen/opencl_prelude.c
        -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${prelude_parts} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
add_library(heddle_prelude STATIC EXCLUDE_FROM_ALL
    ${CMAKE_BINARY_DIR}/gen/opencl_prelude.c)
target_link_libraries(heddle_prelude PRIVATE heddle_flags)
