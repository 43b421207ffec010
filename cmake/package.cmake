# What CPack makes: an archive of all (cpack -G TGZ), and Debian packages of the
# components (cpack -G DEB): heddle, libheddle1, libheddle-dev, python3-heddle.
# As a script (CPack runs it before it packs) it strips the programs of the suite,
# which CPack does not know to be programs, and gives all files one time, and
# modes that do not depend on who built them.
if(CPACK_TEMPORARY_INSTALL_DIRECTORY)
    find_program(STRIP strip)
    if(STRIP)
        execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY}
            -path */heddle/workloads/* -type f -perm /100
            -exec ${STRIP} -p --remove-section=.comment --remove-section=.note {} +
            ERROR_QUIET) # for those that are scripts
    endif()
    execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_INSTALL_DIRECTORY}
        COMMAND_ERROR_IS_FATAL ANY)
    if(DEFINED ENV{SOURCE_DATE_EPOCH})
        execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY}
            -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
            COMMAND_ERROR_IS_FATAL ANY)
    endif()
    return()
endif()
set(parts heddle libheddle1 libheddle-dev python3-heddle)
set(debian ${CMAKE_SOURCE_DIR}/cmake/debian)
set(release 1) # of the packaging, of one version

install(DIRECTORY python/heddle DESTINATION lib/python3/dist-packages
    COMPONENT python3-heddle EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.py" PATTERN "py.typed"
    PATTERN "__pycache__" EXCLUDE)

# What Debian wants and `cmake --install` leaves out, as do archives.
file(STRINGS ${debian}/changelog newest LIMIT_COUNT 1)
if(NOT newest MATCHES "^heddle \\(${PROJECT_VERSION}-${release}\\) ")
    message(FATAL_ERROR "cmake/debian/changelog does not begin with "
        "${PROJECT_VERSION}-${release}")
endif()
find_program(GZIP gzip)
function(compressed from to)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from})
    if(GZIP)
        execute_process(COMMAND ${GZIP} -9nc ${from} OUTPUT_FILE ${to}
            COMMAND_ERROR_IS_FATAL ANY)
    endif()
endfunction()
compressed(${debian}/changelog ${CMAKE_BINARY_DIR}/share/changelog.Debian.gz)
compressed(${CMAKE_SOURCE_DIR}/CHANGELOG.md
    ${CMAKE_BINARY_DIR}/share/changelog.gz)
foreach(part IN LISTS parts)
    set(doc ${CMAKE_INSTALL_DATADIR}/doc/${part})
    install(FILES ${debian}/copyright
        ${CMAKE_BINARY_DIR}/share/changelog.Debian.gz
        DESTINATION ${doc} COMPONENT ${part} EXCLUDE_FROM_ALL OPTIONAL)
    if(EXISTS ${debian}/${part}.overrides)
        install(FILES ${debian}/${part}.overrides
            DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
            RENAME ${part} COMPONENT ${part} EXCLUDE_FROM_ALL)
    endif()
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/share/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle
    COMPONENT heddle EXCLUDE_FROM_ALL OPTIONAL)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_CONTACT "the Heddle authors <heddle@heddle.invalid>"
    CACHE STRING "maintainer of packages, as Name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "GPU simulator and microarchitecture laboratory")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_FILE})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE
    OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${parts})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON) # of the same version
set(CPACK_DEBIAN_PACKAGE_SOURCE heddle)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libcudart.so.12, which CUDA programs of the suite ask for, is one of ours.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/cuda)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# deb_part(NAME SECTION SUMMARY TEXT): a package of that component.
macro(deb_part name section summary text)
    string(TOUPPER ${name} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${text}")
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}
${text}")
endmacro()
unset(CPACK_PACKAGE_DESCRIPTION_SUMMARY)
set(what
"Heddle runs CUDA and OpenCL programs as they are, and kernels in PTX, cycle
by cycle on simulated GPUs, and tells what a hardware idea costs and gains:
cycles, where every issue slot went, energy, storage bits. It needs no GPU.")
deb_part(heddle science
    "cycle-level GPU simulator and microarchitecture laboratory"
"${what}
.
This package has the command, what programs are run with, and the manual.")
deb_part(libheddle1 libs "cycle-level GPU simulator, shared library"
"${what}
.
This package has the library that programs run with.")
deb_part(libheddle-dev libdevel
    "cycle-level GPU simulator, files to develop with its library"
"${what}
.
This package has the header, and what pkg-config and CMake need to find it.")
deb_part(python3-heddle python "cycle-level GPU simulator, from Python"
"${what}
.
This package has the module heddle for Python 3.")
set(CPACK_DEBIAN_HEDDLE_PACKAGE_SUGGESTS
    "sqlite3, jq, ocl-icd-opencl-dev, libheddle-dev, python3-heddle")
set(CPACK_COMPONENT_LIBHEDDLE-DEV_DEPENDS libheddle1)
set(CPACK_DEBIAN_LIBHEDDLE-DEV_PACKAGE_SUGGESTS "pkg-config, heddle")
set(CPACK_DEBIAN_LIBHEDDLE-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_PYTHON3-HEDDLE_DEPENDS heddle libheddle1)
set(CPACK_DEBIAN_PYTHON3-HEDDLE_PACKAGE_DEPENDS
    "python3:any (>= 3.9), python3-numpy")
set(CPACK_DEBIAN_PYTHON3-HEDDLE_PACKAGE_SUGGESTS
    "python3-matplotlib, python3-pandas")
set(CPACK_DEBIAN_PYTHON3-HEDDLE_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON3-HEDDLE_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON3-HEDDLE_PACKAGE_CONTROL_EXTRA
    ${debian}/postinst ${debian}/prerm)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/share/shlibs CONTENT
    "libheddle ${HEDDLE_ABI} libheddle${HEDDLE_ABI} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBHEDDLE1_PACKAGE_CONTROL_EXTRA
    ${CMAKE_BINARY_DIR}/share/shlibs ${debian}/triggers)
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
set(CPACK_DEBIAN_HEDDLE_PACKAGE_RECOMMENDS
    "${recommended}, ocl-icd-libopencl1, libmicrohttpd12 | libmicrohttpd12t64")
include(CPack)
