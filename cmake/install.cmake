# What `cmake --install` and CPack put beside the command: manual and
# completions, which it prints from its option table, presets, licence.
function(heddle_prints file folder)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${file}
        COMMAND heddle ${ARGN} > ${CMAKE_BINARY_DIR}/${file}
        DEPENDS heddle)
    set_property(GLOBAL APPEND PROPERTY HEDDLE_PRINTED
        ${CMAKE_BINARY_DIR}/${file})
    install(FILES ${CMAKE_BINARY_DIR}/${file} DESTINATION ${folder})
endfunction()

if(TARGET heddle)
    heddle_prints(share/heddle.1 ${CMAKE_INSTALL_MANDIR}/man1 doc manual)
    heddle_prints(share/heddle
        ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
    heddle_prints(share/_heddle
        ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions completion zsh)
    heddle_prints(share/heddle.fish
        ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share)
    get_property(printed GLOBAL PROPERTY HEDDLE_PRINTED)
    add_custom_target(printed ALL DEPENDS ${printed})
endif()
install(DIRECTORY truth DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(DIRECTORY measurements/published
    DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/measurements)
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle
    FILES_MATCHING PATTERN "*.yaml")
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The suite as it is in the sources, and its programs where {build} finds them:
# those that are built.
install(DIRECTORY workloads DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle
    FILES_MATCHING PATTERN "suite.yaml" PATTERN "README.md" PATTERN "*.cu"
    PATTERN "*.cl" PATTERN "ptx" EXCLUDE PATTERN "tool" EXCLUDE
    PATTERN "cuda" EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/workloads
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/heddle USE_SOURCE_PERMISSIONS OPTIONAL)
install(TARGETS heddle-workload OPTIONAL)

# ptxcc with the sources it reads, at the places that they have there.
install(PROGRAMS tools/ptxcc DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/tools)
install(FILES tools/clang.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/tools)
install(FILES src/opencl/program/prelude.h src/opencl/program/toolchain.c
    DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/src/opencl/program)
file(GLOB lite workloads/*_lite.h)
install(FILES ${lite} DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/workloads)
install(DIRECTORY workloads/cuda
    DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/workloads
    PATTERN "compile" EXCLUDE)
install(DIRECTORY src/opencl/prelude
    DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/src/opencl)
file(RELATIVE_PATH ptxcc /${CMAKE_INSTALL_BINDIR}
    /${CMAKE_INSTALL_DATADIR}/heddle/tools/ptxcc)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share)
file(CREATE_LINK ${ptxcc} ${CMAKE_BINARY_DIR}/share/ptxcc SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/share/ptxcc
    DESTINATION ${CMAKE_INSTALL_BINDIR})

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_CONTACT "the Heddle authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "GPU simulator and microarchitecture laboratory")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libcudart.so.12, which CUDA programs of the suite ask for, is one of ours.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/cuda)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "sqlite3, jq, ocl-icd-opencl-dev")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"cycle-level GPU simulator and microarchitecture laboratory
 Runs CUDA and OpenCL programs as they are, and kernels in PTX, cycle by cycle on
 simulated GPUs, and tells what a hardware idea costs and gains: cycles, where
 every issue slot went, energy, storage bits. It needs no GPU.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# OpenCL C needs a clang and a libclc that it can read, which is one of its own
# version or of an older one: for each version either libclc is no newer than
# that or clang is. First come those that mesa's OpenCL goes with.
set(versions 15 14 16 17 18 19)
list(JOIN versions " | clang-" all_clangs)
list(JOIN versions " | libclc-" all_libclcs)
set(recommended "clang-${all_clangs}, libclc-${all_libclcs}")
foreach(v RANGE 14 18)
    set(either "")
    foreach(n IN LISTS versions)
        if(n GREATER v)
            list(APPEND either clang-${n})
        else()
            list(APPEND either libclc-${n})
        endif()
    endforeach()
    list(JOIN either " | " either)
    string(APPEND recommended ", ${either}")
endforeach()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${recommended}, ocl-icd-libopencl1")
include(CPack)
