# The rooms that run in every simulated cycle, optimised together: once, into one
# object that everything installed is linked with. Optimised at the link, as is
# usual, they would be compiled again for each of the four. What the object shows
# to others cannot be dropped, which makes the compiler shy of inlining
# (HEDDLE_INLINE, in CMakeLists.txt, says by how much it may grow).
# link_cycles(TARGET): an executable or a shared library uses it, instead of the
# rooms' own libraries. Included behind all rooms.
set(cycles_object "")
if(HEDDLE_CYCLES_ONCE)
    set(objects "")
    foreach(room IN LISTS HEDDLE_CYCLE_ROOMS ITEMS exec_v3 exec_v4)
        if(TARGET heddle_${room})
            list(APPEND objects $<TARGET_OBJECTS:heddle_${room}>)
        endif()
    endforeach()
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    separate_arguments(flags UNIX_COMMAND
        "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
    set(cycles_object ${CMAKE_BINARY_DIR}/heddle_cycles.o)
    add_custom_command(OUTPUT ${cycles_object}
        COMMAND ${CMAKE_C_COMPILER} ${flags} -fPIC -flto=auto -r -nostdlib
            -flinker-output=nolto-rel
            -ffile-prefix-map=${CMAKE_BINARY_DIR}=build
            -o ${cycles_object} ${objects}
        DEPENDS ${objects}
        COMMENT "Optimising what runs in every cycle: heddle_cycles.o"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(heddle_cycles DEPENDS ${cycles_object})
endif()

function(link_cycles target)
    if(NOT HEDDLE_CYCLES_ONCE)
        return()
    endif()
    add_dependencies(${target} heddle_cycles)
    # In front of all libraries: what it defines is not looked for in those.
    target_sources(${target} PRIVATE ${cycles_object})
    set_source_files_properties(${cycles_object} TARGET_DIRECTORY ${target}
        PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    compile_once(${target})
endfunction()
