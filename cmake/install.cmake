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
    find_program(GZIP gzip)
    file(GLOB pages CONFIGURE_DEPENDS cmake/man/*.1)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/share/man1/heddle.stamp
        COMMAND ${CMAKE_COMMAND} -D HEDDLE=$<TARGET_FILE:heddle> -D GZIP=${GZIP}
            -D OUT=${CMAKE_BINARY_DIR}/share/man1
            -D MORE=${CMAKE_SOURCE_DIR}/cmake/man
            -P ${CMAKE_SOURCE_DIR}/cmake/manual_pages.cmake
        COMMAND ${CMAKE_COMMAND} -E touch
            ${CMAKE_BINARY_DIR}/share/man1/heddle.stamp
        DEPENDS heddle ${pages} cmake/manual_pages.cmake
        VERBATIM)
    set_property(GLOBAL APPEND PROPERTY HEDDLE_PRINTED
        ${CMAKE_BINARY_DIR}/share/man1/heddle.stamp)
    install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man1
        DESTINATION ${CMAKE_INSTALL_MANDIR}
        FILES_MATCHING PATTERN "*.1" PATTERN "*.1.gz")
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
install(FILES README.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
# Debian packages have these under other names: cmake/package.cmake.
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT plain)

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
