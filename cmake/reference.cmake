# tests/reference: a direct interpreter of PTX, and what compares Heddle with
# it.
#   reference_forms     every instruction form
#   reference_vectors   the programs of tests/exec
#   reference_workload  a workload; tests/run/reference.sh runs all
#   reference_random    programs made at random; tools/differential runs many
#   reference_machine_code  the same, compiled by ptxas
set(reference_tools forms vectors workload random machine_code)
file(GLOB reference_sources CONFIGURE_DEPENDS tests/reference/*.c)
list(FILTER reference_sources EXCLUDE REGEX
    "/(forms|vectors|workload|random|machine_code)\\.c$")
add_library(reference STATIC EXCLUDE_FROM_ALL ${reference_sources})
target_include_directories(reference PUBLIC tests)
target_link_libraries(reference PUBLIC hardware_forms ${HEDDLE_LIBS})
foreach(tool IN LISTS reference_tools)
    add_executable(reference_${tool} EXCLUDE_FROM_ALL
        tests/reference/${tool}.c)
    target_link_libraries(reference_${tool} PRIVATE reference)
    add_dependencies(unit_tests reference_${tool})
endforeach()
add_test(NAME reference/forms COMMAND reference_forms -q)
add_test(NAME reference/vectors COMMAND reference_vectors)
# What ptxas itself gets wrong is not among these seeds.
add_test(NAME reference/machine_code COMMAND reference_machine_code
    --programs 36 --quick --timing 9)
add_test(NAME reference/random COMMAND reference_random --programs 200
    --quick --timing 100)
set_tests_properties(reference/forms reference/vectors reference/random
    reference/machine_code
    PROPERTIES LABELS reference TIMEOUT 600
    ENVIRONMENT "HEDDLE_SOURCE=${CMAKE_SOURCE_DIR}")
set_tests_properties(reference/random PROPERTIES LABELS "reference;all")
