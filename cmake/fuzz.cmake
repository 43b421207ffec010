# tests/fuzz/fuzz_NAME.c feeds bytes to a reader of outside input. With
# HEDDLE_FUZZ (clang) each becomes a libFuzzer program, fuzz_NAME; without, a
# test that replays the folders that tests/fuzz/seeds NAME lists, and for PTX
# one that changes what is in them.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
add_custom_target(fuzzers)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(target ${source} NAME_WE)
    string(REPLACE "fuzz_" "" name ${target})
    add_executable(${target} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${target} PRIVATE ${HEDDLE_LIBS} heddle_flags)
    add_dependencies(fuzzers ${target})
    if(name MATCHES "^(cuda|fatbin)$")
        target_link_libraries(${target} PRIVATE heddle_cuda)
    endif()
    if(name STREQUAL "cuda")
        target_sources(${target} PRIVATE tests/fuzz/cuda_arguments.c
            tests/fuzz/cuda_structures.c)
        target_link_libraries(${target} PRIVATE heddle_cuda_pack)
    endif()
    if(HEDDLE_FUZZ)
        if(name MATCHES "^(ptx|kernel)$")
            target_sources(${target} PRIVATE tests/fuzz/mutator.c
                tests/fuzz/mutate.c)
        endif()
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
        continue()
    endif()
    target_sources(${target} PRIVATE tests/fuzz/replay.c tests/fuzz/mutate.c)
    add_dependencies(unit_tests ${target})
    add_test(NAME fuzz/${name}
        COMMAND sh -c "\"$0\" `tests/fuzz/seeds ${name}`" $<TARGET_FILE:${target}>
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT 300)
    if(name MATCHES "^(ptx|kernel)$")
        add_test(NAME fuzz/${name}_changed
            COMMAND sh -c "\"$0\" --mutate 0 200 `tests/fuzz/seeds ${name}`"
                $<TARGET_FILE:${target}>
            WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
        set_tests_properties(fuzz/${name}_changed PROPERTIES LABELS fuzz
            TIMEOUT 300)
    endif()
endforeach()
