# libheddle-cuda.so: the CUDA runtime and driver; the folder `cuda` beside it with
# libraries of the vendor's names that lead to it; and libheddle-preload.so, for
# programs that bring a runtime with them.

# As a static library too, so that tests can call it.
file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS src/cuda/*.c)
list(FILTER cuda_sources EXCLUDE REGEX "/src/cuda/preload/")
add_library(heddle_cuda_objects OBJECT ${cuda_sources})
compile_once(heddle_cuda_objects)
# The names of C++ are read by the C++ runtime, which every compiler has.
set(cuda_libraries PkgConfig::ZSTD PkgConfig::LZ4 stdc++ ${CMAKE_DL_LIBS}
    ${HEDDLE_LIBS} heddle_flags)
target_link_libraries(heddle_cuda_objects PRIVATE ${cuda_libraries})
# Programs that trap other branches (IBT) may jump to our functions.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fcf-protection=branch HEDDLE_CF_PROTECTION)
if(HEDDLE_CF_PROTECTION)
    target_compile_options(heddle_cuda_objects PRIVATE -fcf-protection=branch)
endif()
add_library(heddle_cuda STATIC $<TARGET_OBJECTS:heddle_cuda_objects>)
target_link_libraries(heddle_cuda PUBLIC ${cuda_libraries})

add_library(heddle-cuda SHARED $<TARGET_OBJECTS:heddle_cuda_objects>)
link_cycles(heddle-cuda)
target_link_libraries(heddle-cuda PRIVATE ${cuda_libraries})
# Its functions have the names of the vendor's: they must bind to each other.
target_link_options(heddle-cuda PRIVATE
    -Wl,-Bsymbolic -Wl,--exclude-libs,ALL
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/cuda/exports.map)
if(NOT HEDDLE_SANITIZE) # whose functions the program brings
    target_link_options(heddle-cuda PRIVATE -Wl,-z,defs)
endif()
set_target_properties(heddle-cuda PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
    LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/cuda/exports.map)
install(TARGETS heddle-cuda DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle)

# Small and alone, as every process under `heddle exec` loads it; without
# sanitizers, which such processes do not have.
file(GLOB preload_sources CONFIGURE_DEPENDS src/cuda/preload/*.c)
add_library(heddle-preload SHARED ${preload_sources}
    src/cuda/takeover/runtime.c src/cuda/takeover/lead.c src/base/elf.c
    src/base/vendor_library.c)
target_include_directories(heddle-preload PRIVATE src)
target_compile_definitions(heddle-preload PRIVATE _GNU_SOURCE)
target_compile_options(heddle-preload PRIVATE -Wall -Wextra -Wshadow
    $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)
target_link_libraries(heddle-preload PRIVATE ${CMAKE_DL_LIBS})
target_link_options(heddle-preload PRIVATE -Wl,-z,defs -Wl,-z,initfirst)
set_target_properties(heddle-preload PROPERTIES
    INTERPROCEDURAL_OPTIMIZATION OFF # it has assembly
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS heddle-preload DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle)

# cuda_stand_in(FILE NODE LIBRARY): a library of that file name, with an empty
# version NODE that programs may ask for, "" for none; what is asked of it is
# found in LIBRARY, which it needs.
file(WRITE ${CMAKE_BINARY_DIR}/gen/cuda_stand_in.c.new
    "typedef int nothing; /* made by cmake/cuda.cmake */\n")
configure_file(${CMAKE_BINARY_DIR}/gen/cuda_stand_in.c.new
    ${CMAKE_BINARY_DIR}/gen/cuda_stand_in.c COPYONLY)
add_custom_target(cuda_driver) # what CUDA programs need to run
add_dependencies(cuda_driver heddle-cuda heddle-preload)
function(cuda_stand_in file node library)
    string(MAKE_C_IDENTIFIER stand_in_${file} target)
    add_library(${target} SHARED ${CMAKE_BINARY_DIR}/gen/cuda_stand_in.c)
    add_dependencies(cuda_driver ${target})
    target_link_libraries(${target} PRIVATE ${library})
    target_link_options(${target} PRIVATE -Wl,--no-as-needed)
    if(node)
        set(script ${CMAKE_BINARY_DIR}/gen/${target}.map)
        file(CONFIGURE OUTPUT ${script} CONTENT "${node} { };\n")
        target_link_options(${target} PRIVATE -Wl,--version-script=${script})
    endif()
    set_target_properties(${target} PROPERTIES
        PREFIX "" SUFFIX "" OUTPUT_NAME ${file}
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cuda
        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/..")
    install(TARGETS ${target} DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle/cuda)
endfunction()
foreach(version 11.0 12 13)
    cuda_stand_in(libcudart.so.${version} libcudart.so.${version} heddle-cuda)
endforeach()
cuda_stand_in(libcuda.so.1 "" heddle-cuda)
cuda_stand_in(libcuda.so "" heddle-cuda) # some load it by that name
cuda_stand_in(libnvidia-ml.so.1 "" heddle-cuda)
cuda_stand_in(libnvidia-ml.so "" heddle-cuda)

# Tests, into which it is linked; and what writes containers for them.
add_library(heddle_cuda_pack STATIC EXCLUDE_FROM_ALL tests/cuda/pack.c)
target_include_directories(heddle_cuda_pack PUBLIC tests/cuda)
target_link_libraries(heddle_cuda_pack PUBLIC heddle_base PkgConfig::ZSTD
    PkgConfig::LZ4 heddle_flags)
add_executable(heddle-fatbin EXCLUDE_FROM_ALL tests/cuda/heddle_fatbin.c)
target_link_libraries(heddle-fatbin PRIVATE heddle_cuda heddle_cuda_pack)
add_dependencies(unit_tests heddle-fatbin)
file(GLOB cuda_tests CONFIGURE_DEPENDS tests/cuda/test_*.c)
foreach(source IN LISTS cuda_tests)
    get_filename_component(name ${source} NAME_WE)
    set(target cuda_${name})
    add_executable(${target} EXCLUDE_FROM_ALL ${source})
    target_include_directories(${target} PRIVATE tests tests/cuda)
    target_link_libraries(${target} PRIVATE heddle_cuda heddle_cuda_pack
        heddle_flags)
    add_dependencies(unit_tests ${target})
    add_test(NAME cuda/${name} COMMAND ${target})
    set_tests_properties(cuda/${name} PROPERTIES
        SKIP_RETURN_CODE 77 LABELS cuda TIMEOUT 300
        ENVIRONMENT "HEDDLE_SOURCE=${CMAKE_SOURCE_DIR}")
endforeach()

# A program for tests/run/cuda_lives.sh, linked to the runtime as others are.
add_executable(heddle-cuda-behave EXCLUDE_FROM_ALL
    tests/run/programs/cuda_behave.c)
target_include_directories(heddle-cuda-behave PRIVATE tests/cuda src)
target_link_libraries(heddle-cuda-behave PRIVATE stand_in_libcudart_so_12
    heddle-cuda heddle_cuda_pack heddle_flags)
add_dependencies(heddle-cuda-behave cuda_driver)
add_dependencies(unit_tests heddle-cuda-behave)

# Libraries for cuda/test_takeover: NAME and what makes it another one.
function(cuda_victim name)
    set(target heddle_cuda_victim_${name})
    add_library(${target} MODULE EXCLUDE_FROM_ALL tests/cuda/victim.c)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE ${ARGN})
    target_compile_options(${target} PRIVATE -fvisibility=default)
    set_target_properties(${target} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/victims)
    add_dependencies(cuda_test_takeover ${target})
    target_compile_definitions(cuda_test_takeover PRIVATE
        VICTIM_${name}="$<TARGET_FILE:${target}>")
endfunction()
cuda_victim(10 VICTIM_REFERENCES)
cuda_victim(11 VICTIM_REFERENCES VICTIM_LIMITS)
cuda_victim(12 VICTIM_SECOND VICTIM_LIMITS)
cuda_victim(13 VICTIM_LIMITS)
cuda_victim(MOVED VICTIM_MOVED)
cuda_victim(STRIPPED)
target_link_options(heddle_cuda_victim_STRIPPED PRIVATE -s
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/tests/cuda/victim.map)
cuda_victim(LINKED)
target_link_options(heddle_cuda_victim_LINKED PRIVATE -Wl,--no-as-needed)
target_link_libraries(heddle_cuda_victim_LINKED PRIVATE
    stand_in_libcudart_so_11_0)
target_compile_definitions(cuda_test_takeover PRIVATE
    STAND_IN_12="$<TARGET_FILE:stand_in_libcudart_so_12>"
    HEDDLE_CUDA="$<TARGET_FILE:heddle-cuda>"
    HEDDLE_PRELOAD="$<TARGET_FILE:heddle-preload>")
add_dependencies(cuda_test_takeover stand_in_libcudart_so_12 heddle-cuda
    heddle-preload)
if(HEDDLE_CF_PROTECTION)
    target_compile_options(cuda_test_takeover PRIVATE -fcf-protection=branch)
endif()
