# tests/timing/test_NAME.c: known-answer tests of the whole machine.
file(GLOB timing_sources CONFIGURE_DEPENDS tests/timing/test_*.c)
foreach(source IN LISTS timing_sources)
    get_filename_component(name ${source} NAME_WE)
    set(target timing_${name})
    add_executable(${target} EXCLUDE_FROM_ALL ${source})
    target_include_directories(${target} PRIVATE tests tests/timing)
    target_compile_options(${target} PRIVATE ${HEDDLE_TEST_FLAGS})
    target_link_libraries(${target} PRIVATE ${HEDDLE_LIBS} heddle_flags)
    add_dependencies(unit_tests ${target})
    add_test(NAME timing/${name} COMMAND ${target})
    set_tests_properties(timing/${name} PROPERTIES
        SKIP_RETURN_CODE 77 LABELS timing TIMEOUT 300
        ENVIRONMENT "HEDDLE_SOURCE=${CMAKE_SOURCE_DIR}")
endforeach()
