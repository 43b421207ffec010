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

# The OpenCL programs, build/workloads/NAME: workloads/NAME/main.c with its
# kernel.cl inside.
find_package(OpenCL QUIET)
if(OpenCL_FOUND)
    file(GLOB references CONFIGURE_DEPENDS workloads/*/ref.c)
    add_library(workload_host STATIC EXCLUDE_FROM_ALL workloads/opencl.c
        workloads/tool/wl.c workloads/tool/npy.c workloads/spmv/csr.c
        ${references})
    target_include_directories(workload_host PUBLIC workloads)
    target_link_libraries(workload_host PUBLIC OpenCL::OpenCL heddle_flags)
    add_custom_target(opencl_workloads ALL)
    file(GLOB programs CONFIGURE_DEPENDS workloads/*/kernel.cl)
    foreach(kernel IN LISTS programs)
        get_filename_component(folder ${kernel} DIRECTORY)
        get_filename_component(name ${folder} NAME)
        add_executable(workload_${name} ${folder}/main.c)
        target_link_libraries(workload_${name} PRIVATE workload_host)
        set_property(SOURCE ${folder}/main.c APPEND PROPERTY
            OBJECT_DEPENDS ${kernel})
        # A kernel is included when its program is compiled, not when linked.
        set_target_properties(workload_${name} PROPERTIES OUTPUT_NAME ${name}
            INTERPROCEDURAL_OPTIMIZATION OFF
            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)
        add_dependencies(opencl_workloads workload_${name})
    endforeach()
endif()
