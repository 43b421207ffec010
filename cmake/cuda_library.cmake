# Libraries of Heddle's own in place of the vendor's, which cannot run: a room of
# src each, src/cuda_library in all of them.

# cuda_library(ROOM): heddle-ROOM, from src/ROOM, with what stands in src/ROOM/ptx
# built in. Its names are those that src/ROOM/exports.map lists.
function(cuda_library room)
    set(target heddle-${room})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${room}/*.c)
    file(GLOB shared CONFIGURE_DEPENDS src/cuda_library/*.c)
    file(GLOB ptx CONFIGURE_DEPENDS src/${room}/ptx/*.ptx)
    set(code ${CMAKE_BINARY_DIR}/gen/${room}_code.c)
    add_custom_command(OUTPUT ${code}
        COMMAND ${CMAKE_COMMAND} -D ROOM=${room} -D "FILES=${ptx}"
            -D OUT=${code} -P ${CMAKE_SOURCE_DIR}/cmake/embed_ptx.cmake
        DEPENDS ${ptx} ${CMAKE_SOURCE_DIR}/cmake/embed_ptx.cmake
        VERBATIM)
    add_library(${target} SHARED ${sources} ${shared} ${code})
    target_link_libraries(${target} PRIVATE heddle-cuda heddle_flags)
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic
        -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/${room}/exports.map)
    set_target_properties(${target} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
        LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/exports.map)
    install(TARGETS ${target} DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle)

    file(GLOB tests CONFIGURE_DEPENDS tests/${room}/test_*.c)
    foreach(source IN LISTS tests)
        get_filename_component(name ${source} NAME_WE)
        set(test ${room}_${name})
        add_executable(${test} EXCLUDE_FROM_ALL ${source})
        target_include_directories(${test} PRIVATE tests tests/${room})
        target_link_libraries(${test} PRIVATE ${target} heddle-cuda
            heddle_flags)
        add_dependencies(unit_tests ${test})
        add_test(NAME ${room}/${name} COMMAND ${test})
        set_tests_properties(${room}/${name} PROPERTIES
            SKIP_RETURN_CODE 77 LABELS cuda TIMEOUT 300
            ENVIRONMENT "HEDDLE_GPU=v100")
    endforeach()
endfunction()

cuda_library(cublas)
foreach(version 11 12 13)
    foreach(name libcublas libcublasLt)
        cuda_stand_in(${name}.so.${version} ${name}.so.${version} heddle-cublas)
    endforeach()
endforeach()

# curand: no contraction, so that the host gives the same bits as devices; and the
# numbers for Sobol sequences.
set(numbers ${CMAKE_SOURCE_DIR}/third_party/joe-kuo/numbers.bin)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/gen/joe_kuo.c
    COMMAND ${CMAKE_COMMAND} -D FILE=${numbers} -D NAME=rand_joe_kuo
        -D OUT=${CMAKE_BINARY_DIR}/gen/joe_kuo.c
        -P ${CMAKE_SOURCE_DIR}/cmake/embed_bytes.cmake
    DEPENDS ${numbers} ${CMAKE_SOURCE_DIR}/cmake/embed_bytes.cmake
    VERBATIM)
cuda_library(curand)
target_sources(heddle-curand PRIVATE ${CMAKE_BINARY_DIR}/gen/joe_kuo.c)
target_compile_options(heddle-curand PRIVATE -ffp-contract=off)
cuda_stand_in(libcurand.so.10 libcurand.so.10 heddle-curand)
install(FILES third_party/joe-kuo/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
    RENAME joe-kuo-LICENSE COMPONENT plain)

# nvrtc calls tools/ptxcc, which is beside it.
cuda_library(nvrtc)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/tools/ptxcc ${CMAKE_BINARY_DIR}/ptxcc
    SYMBOLIC)
foreach(file libnvrtc.so.11.2 libnvrtc.so.12 libnvrtc.so.13)
    cuda_stand_in(${file} ${file} heddle-nvrtc)
endforeach()
cuda_stand_in(libnvrtc.so "" heddle-nvrtc)

# Those that have no replacement: one library with all their names.
cuda_library(refused)
foreach(file
        libcufft.so.10 libcufft.so.11 libcufft.so.12
        libcusparse.so.10 libcusparse.so.11 libcusparse.so.12
        libcusolver.so.10 libcusolver.so.11 libcusolver.so.12
        libcusolverMg.so.10 libcusolverMg.so.11 libcusolverMg.so.12
        libcudnn.so.8 libcudnn.so.9 libnccl.so.2
        libnvToolsExt.so.1)
    cuda_stand_in(${file} ${file} heddle-refused)
endforeach()
