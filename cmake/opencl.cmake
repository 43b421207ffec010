# libheddle-opencl.so: the OpenCL driver, loaded by the ordinary ICD loader.
# Built where OpenCL's headers are (opencl-c-headers).
include(CheckIncludeFile)
check_include_file(CL/cl_icd.h HEDDLE_HAVE_CL)
if(NOT HEDDLE_HAVE_CL)
    message(STATUS "CL/cl_icd.h not found: no OpenCL driver")
    return()
endif()

# As a static library too, so that tests can call it without a loader.
file(GLOB_RECURSE opencl_sources CONFIGURE_DEPENDS src/opencl/*.c)
add_library(heddle_opencl_objects OBJECT ${opencl_sources})
compile_once(heddle_opencl_objects)
target_link_libraries(heddle_opencl_objects PRIVATE heddle_prelude
    ${HEDDLE_LIBS} heddle_flags)
add_library(heddle_opencl STATIC $<TARGET_OBJECTS:heddle_opencl_objects>)
target_link_libraries(heddle_opencl PUBLIC heddle_prelude ${HEDDLE_LIBS}
    heddle_flags)

add_library(heddle-opencl SHARED $<TARGET_OBJECTS:heddle_opencl_objects>)
link_cycles(heddle-opencl)
target_link_libraries(heddle-opencl PRIVATE heddle_prelude ${HEDDLE_LIBS}
    heddle_flags)
# Its functions have the loader's names: they must bind to each other.
target_link_options(heddle-opencl PRIVATE
    -Wl,-Bsymbolic -Wl,--exclude-libs,ALL
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/opencl/exports.map)
if(NOT HEDDLE_SANITIZE) # whose functions the program brings
    target_link_options(heddle-opencl PRIVATE -Wl,-z,defs)
endif()
set_target_properties(heddle-opencl PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
    LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/opencl/exports.map)
install(TARGETS heddle-opencl DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle)

# Tests of the driver, which is linked into them.
enable_testing()
file(GLOB opencl_tests CONFIGURE_DEPENDS tests/opencl/test_*.c)
foreach(source IN LISTS opencl_tests)
    get_filename_component(name ${source} NAME_WE)
    set(target opencl_${name})
    add_executable(${target} EXCLUDE_FROM_ALL ${source})
    target_include_directories(${target} PRIVATE tests tests/opencl)
    target_link_libraries(${target} PRIVATE heddle_opencl heddle_flags)
    add_dependencies(unit_tests ${target})
    add_test(NAME opencl/${name} COMMAND ${target})
    set_tests_properties(opencl/${name} PROPERTIES
        SKIP_RETURN_CODE 77 LABELS opencl TIMEOUT 300
        ENVIRONMENT "HEDDLE_SOURCE=${CMAKE_SOURCE_DIR}")
endforeach()
# Long, and about functions of kernels more than about the driver.
set_tests_properties(opencl/test_link_builtins PROPERTIES
    LABELS "opencl;once" COST 100)
