# heddle-workload: inputs and CPU references of the workloads. It shares no
# code with the simulator, so that it cannot share its mistakes.
file(GLOB workload_sources CONFIGURE_DEPENDS
    workloads/*/ref.c workloads/spmv/csr.c workloads/tool/*.c)
add_executable(heddle-workload ${workload_sources})
target_include_directories(heddle-workload PRIVATE workloads)
target_link_libraries(heddle-workload PRIVATE heddle_flags)

# heddle-measure: time and memory of a command, for bench/run.
add_executable(heddle-measure EXCLUDE_FROM_ALL bench/measure.c)
target_link_libraries(heddle-measure PRIVATE heddle_flags)

# The programs: workloads/NAME/main.c with the rig of an API and, inside, the
# kernels of that.
file(GLOB references CONFIGURE_DEPENDS workloads/*/ref.c)
add_library(workload_host STATIC EXCLUDE_FROM_ALL workloads/rig.c
    workloads/tool/wl.c workloads/tool/npy.c workloads/spmv/csr.c
    ${references})
target_include_directories(workload_host PUBLIC workloads)
target_link_libraries(workload_host PUBLIC heddle_flags)

# workload_program(TARGET NAME FOLDER): without the API's rig and kernels.
function(workload_program target name folder)
    add_executable(${target} workloads/${name}/main.c ${ARGN})
    target_link_libraries(${target} PRIVATE workload_host)
    # A kernel is included when its program is compiled, not when linked.
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
        INTERPROCEDURAL_OPTIMIZATION OFF
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
endfunction()

# With OpenCL, build/workloads/NAME, from kernel.cl.
find_package(OpenCL QUIET)
if(OpenCL_FOUND)
    add_library(workload_opencl OBJECT EXCLUDE_FROM_ALL workloads/opencl.c)
    target_link_libraries(workload_opencl PUBLIC workload_host OpenCL::OpenCL)
    add_custom_target(opencl_workloads ALL)
    file(GLOB programs CONFIGURE_DEPENDS workloads/*/main.c)
    list(FILTER programs EXCLUDE REGEX "/tool/main\\.c$")
    foreach(program IN LISTS programs)
        get_filename_component(folder ${program} DIRECTORY)
        get_filename_component(name ${folder} NAME)
        file(STRINGS ${program} kernels REGEX "[a-z0-9_]+/kernel\\.cl")
        list(TRANSFORM kernels REPLACE
            ".*\"([a-z0-9_]+/kernel\\.cl)\".*"
            "${CMAKE_SOURCE_DIR}/workloads/\\1")
        workload_program(workload_${name} ${name} workloads)
        target_link_libraries(workload_${name} PRIVATE workload_opencl)
        set_property(SOURCE ${program} APPEND PROPERTY
            OBJECT_DEPENDS ${kernels})
        add_dependencies(opencl_workloads workload_${name})
    endforeach()
endif()

# With CUDA, build/workloads/cuda/NAME, from kernel.cu, by what compiles it
# here: nvcc, which links its runtime, or a clang, whose programs ask for
# libcudart.so.12.
set(HEDDLE_CUDA_COMPILER "" CACHE STRING
    "for the CUDA programs: nvcc, clang-N, or `none`; empty for what is there")
set(cuda_compiler ${HEDDLE_CUDA_COMPILER})
if(NOT cuda_compiler)
    execute_process(COMMAND workloads/cuda/compile --which
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
        OUTPUT_VARIABLE cuda_compiler OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(cuda_compiler AND NOT cuda_compiler STREQUAL "none" AND NOT HEDDLE_SANITIZE)
    add_library(workload_cuda OBJECT EXCLUDE_FROM_ALL workloads/cuda.c)
    target_link_libraries(workload_cuda PUBLIC workload_host)
    if(cuda_compiler MATCHES "nvcc")
        get_filename_component(runtime ${cuda_compiler} DIRECTORY)
        find_library(cuda_runtime NAMES libcudart_static.a REQUIRED
            HINTS ${runtime}/../lib64 ${runtime}/../lib)
        target_link_libraries(workload_cuda PUBLIC
            ${cuda_runtime} ${CMAKE_DL_LIBS} rt stdc++)
    else()
        # A library with the names alone: what programs call is in the one
        # that they find when they start.
        file(READ workloads/cuda_api.h api)
        string(REGEX MATCHALL "cuda[A-Z][A-Za-z0-9]*\\(" names "${api}")
        foreach(name PushCallConfiguration PopCallConfiguration
                RegisterFatBinary RegisterFatBinaryEnd UnregisterFatBinary
                RegisterFunction)
            list(APPEND names "__cuda${name}(")
        endforeach()
        list(REMOVE_DUPLICATES names)
        list(TRANSFORM names REPLACE "(.+)" "void \\1void) {}\n")
        list(JOIN names "" api)
        file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gen/workload_cudart.c
            CONTENT "#pragma GCC visibility push(default)\n${api}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
            workloads/cuda_api.h)
        add_library(workload_cudart SHARED EXCLUDE_FROM_ALL
            ${CMAKE_BINARY_DIR}/gen/workload_cudart.c)
        set_target_properties(workload_cudart PROPERTIES
            OUTPUT_NAME cudart SOVERSION 12
            LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/gen)
        target_link_libraries(workload_cuda PUBLIC workload_cudart)
    endif()
    # Programs of packages name their sources where packages put them.
    set(map "")
    if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
        set(map --map
            ${CMAKE_SOURCE_DIR}=${CMAKE_INSTALL_FULL_DATADIR}/heddle)
    endif()
    add_custom_target(cuda_workloads ALL)
    file(GLOB kernels CONFIGURE_DEPENDS workloads/*/kernel.cu)
    foreach(kernel IN LISTS kernels)
        get_filename_component(folder ${kernel} DIRECTORY)
        get_filename_component(name ${folder} NAME)
        if(NOT EXISTS ${folder}/main.c)
            continue()
        endif()
        set(object ${CMAKE_BINARY_DIR}/gen/${name}_cuda.o)
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER}
                workloads/cuda/compile ${kernel} -o ${object}
                --cc ${cuda_compiler} ${map}
            WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM
            DEPENDS ${kernel} workloads/cuda_lite.h workloads/cuda/compile)
        set(target workload_cuda_${name})
        workload_program(${target} ${name} workloads/cuda ${object})
        target_compile_definitions(${target} PRIVATE RIG_CUDA)
        set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
        target_link_libraries(${target} PRIVATE workload_cuda)
        add_dependencies(cuda_workloads ${target})
    endforeach()
endif()
