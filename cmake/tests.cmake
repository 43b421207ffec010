# Tests in shell: of the tools (tests/tools) and of the command (tests/run).
# Each ends with `N passed, N failed, N skipped` and exits 77 if it only
# skipped. Those of scripts, compilers and programs of others have the label
# `once`: a sanitizer finds nothing in them that other tests do not reach. Of the
# others those that are not `sanitized` have the label `all`: under sanitizers
# they run only with `./check --all`, as tests in C reach most of their code, in
# a tenth of the time. The longest begin first.
set(once_tests "^(tools/.*|run/(compile_time|completion|install|library|python))$")
set(sanitized_tests "^run/(exec|memory|outside|same_bits|waiting)$")
set(long_tests "^(tools/(bench|cubin|cuda|curves|ptxcc)|run/(compare|\
cuda_programs|exec|install|opencl_workloads|report|same_bits|streams|timeline|\
variants|wait|waiting|watch))$")
file(GLOB shell_tests CONFIGURE_DEPENDS tests/tools/*.sh tests/run/*.sh)
foreach(test IN LISTS shell_tests)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/tests ${test})
    string(REPLACE ".sh" "" name ${name})
    add_test(NAME ${name} COMMAND sh ${test})
    set_tests_properties(${name} PROPERTIES
        SKIP_RETURN_CODE 77 LABELS shell TIMEOUT 600
        ENVIRONMENT "HEDDLE_BUILD=${CMAKE_BINARY_DIR}")
    if(name MATCHES "${once_tests}")
        set_tests_properties(${name} PROPERTIES LABELS "shell;once")
    elseif(NOT name MATCHES "${sanitized_tests}")
        set_tests_properties(${name} PROPERTIES LABELS "shell;all")
    endif()
    if(name MATCHES "${long_tests}")
        set_tests_properties(${name} PROPERTIES COST 100)
    endif()
endforeach()
# What they need besides `all`.
add_custom_target(shell_tests)
add_dependencies(unit_tests shell_tests)

# What of the command needs no command to be tested.
add_executable(unit_cli_test_signals EXCLUDE_FROM_ALL
    tests/unit/cli/test_signals.c src/cli/signals.c)
target_include_directories(unit_cli_test_signals PRIVATE tests)
target_link_libraries(unit_cli_test_signals PRIVATE heddle_base heddle_flags)
add_dependencies(unit_tests unit_cli_test_signals)
add_test(NAME unit/cli/test_signals COMMAND unit_cli_test_signals)
set_tests_properties(unit/cli/test_signals PROPERTIES LABELS unit TIMEOUT 60)
add_executable(unit_cli_test_progress EXCLUDE_FROM_ALL
    tests/unit/cli/test_progress.c src/cli/progress_words.c)
target_include_directories(unit_cli_test_progress PRIVATE tests)
target_link_libraries(unit_cli_test_progress PRIVATE heddle_report heddle_flags)
add_dependencies(unit_tests unit_cli_test_progress)
add_test(NAME unit/cli/test_progress COMMAND unit_cli_test_progress)
set_tests_properties(unit/cli/test_progress PROPERTIES LABELS unit TIMEOUT 60)

# Programs for tests/run, linked to the ordinary OpenCL loader.
find_package(OpenCL QUIET)
if(OpenCL_FOUND)
    foreach(program behave big changes handover overlap)
        add_executable(heddle-${program} EXCLUDE_FROM_ALL
            tests/run/programs/${program}.c)
        target_link_libraries(heddle-${program} PRIVATE OpenCL::OpenCL
            heddle_flags)
        add_dependencies(shell_tests heddle-${program})
    endforeach()
endif()
