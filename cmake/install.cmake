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
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle
    FILES_MATCHING PATTERN "*.yaml")
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff
    DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_CONTACT "the Heddle authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "GPU simulator and microarchitecture laboratory")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
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
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${recommended}")
include(CPack)
