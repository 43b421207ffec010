# tests/hardware: every instruction form against exact arithmetic and, where
# tests/hardware/device.txt has them, against results of a device.
#   hardware_check   the test
#   hardware_sweep   forms of one operand over its whole range
#   hardware_runner  makes device.txt on a machine with an NVIDIA GPU
#   hardware_emit    writes the kernels
#   hardware_curves  curves of latency and bandwidth, of a GPU or a simulated one
#   hardware_gemm    the ladder of matrix products, of a GPU or a simulated one
#   hardware_fold    compares with what the vendor's compiler computes
file(GLOB hardware_sources CONFIGURE_DEPENDS tests/hardware/*.c)
list(FILTER hardware_sources EXCLUDE REGEX "/(check|sweep|bench|runner|emit|fold|about)\\.c$")
add_library(hardware_forms STATIC EXCLUDE_FROM_ALL ${hardware_sources})
target_include_directories(hardware_forms PUBLIC tests/hardware)
target_link_libraries(hardware_forms PUBLIC heddle_flags ${CMAKE_DL_LIBS})
foreach(tool IN ITEMS runner emit fold)
    add_executable(hardware_${tool} EXCLUDE_FROM_ALL tests/hardware/${tool}.c)
    target_link_libraries(hardware_${tool} PRIVATE hardware_forms)
    add_dependencies(unit_tests hardware_${tool})
endforeach()
foreach(tool IN ITEMS check sweep)
    add_executable(hardware_${tool} EXCLUDE_FROM_ALL
        tests/hardware/${tool}.c tests/hardware/bench.c)
    target_link_libraries(hardware_${tool} PRIVATE hardware_forms
        ${HEDDLE_LIBS})
    add_dependencies(unit_tests hardware_${tool})
endforeach()
# The compilers of the three families differ.
foreach(preset IN ITEMS gtx480 k20 v100)
    add_test(NAME hardware/forms_${preset} COMMAND hardware_check ${preset})
    set_tests_properties(hardware/forms_${preset} PROPERTIES
        LABELS hardware TIMEOUT 300
        ENVIRONMENT "HEDDLE_SOURCE=${CMAKE_SOURCE_DIR}")
endforeach()
# Tens of thousands of operands of each; STEP 1 is a matter of hours.
add_test(NAME hardware/sweep COMMAND hardware_sweep v100 65537 approx)
set_tests_properties(hardware/sweep PROPERTIES LABELS hardware TIMEOUT 300)

# Programs of a device, which know nothing of Heddle; measure_device.sh builds
# them by itself.
file(GLOB hardware_curves CONFIGURE_DEPENDS tests/hardware/curves/*.c)
add_executable(hardware_curves EXCLUDE_FROM_ALL ${hardware_curves}
    tests/hardware/cu.c)
target_include_directories(hardware_curves PRIVATE tests/hardware
    tests/hardware/curves)
target_link_libraries(hardware_curves PRIVATE heddle_flags ${CMAKE_DL_LIBS})
add_dependencies(shell_tests hardware_curves)

add_executable(hardware_gemm EXCLUDE_FROM_ALL tests/hardware/gemm/gemm.c
    tests/hardware/cu.c)
target_include_directories(hardware_gemm PRIVATE tests/hardware)
target_compile_definitions(hardware_gemm PRIVATE
    GEMM_FOLDER="${CMAKE_SOURCE_DIR}/tests/hardware/gemm")
target_link_libraries(hardware_gemm PRIVATE heddle_flags ${CMAKE_DL_LIBS} m)
set_source_files_properties(tests/hardware/gemm/gemm.c PROPERTIES OBJECT_DEPENDS
    "${CMAKE_SOURCE_DIR}/tests/hardware/gemm/gemm80.ptx;${CMAKE_SOURCE_DIR}/tests/hardware/gemm/gemm90.ptx")
add_dependencies(shell_tests hardware_gemm)
