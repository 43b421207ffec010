# tests/reference: a direct interpreter of PTX, and what compares Heddle with
# it.
#   reference_forms   every instruction form
#   reference_random  programs made at random (tools/differential)
#   reference_run     vectors of tests/exec and the workloads
file(GLOB reference_sources CONFIGURE_DEPENDS tests/reference/*.c)
list(FILTER reference_sources EXCLUDE REGEX "/(forms|random|run)\\.c$")
add_library(reference STATIC EXCLUDE_FROM_ALL ${reference_sources})
target_include_directories(reference PUBLIC tests)
target_link_libraries(reference PUBLIC hardware_forms ${HEDDLE_LIBS})
foreach(tool IN ITEMS forms random)
    add_executable(reference_${tool} EXCLUDE_FROM_ALL
        tests/reference/${tool}.c)
    target_link_libraries(reference_${tool} PRIVATE reference)
    add_dependencies(unit_tests reference_${tool})
endforeach()
add_test(NAME reference/forms COMMAND reference_forms -q)
