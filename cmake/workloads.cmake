# heddle-workload: inputs and CPU references of the workloads. It shares no
# code with the simulator, so that it cannot share its mistakes.
file(GLOB workload_sources CONFIGURE_DEPENDS
    workloads/*/*.c)
add_executable(heddle-workload ${workload_sources})
target_include_directories(heddle-workload PRIVATE workloads)
target_link_libraries(heddle-workload PRIVATE heddle_flags)

# heddle-measure: time and memory of a command, for bench/run.
add_executable(heddle-measure EXCLUDE_FROM_ALL bench/measure.c)
target_link_libraries(heddle-measure PRIVATE heddle_flags)
