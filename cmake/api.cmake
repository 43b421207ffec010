# libheddle: the simulator as a library (include/heddle/heddle.h, src/api), with
# what find_package and pkg-config need to find it.
set(HEDDLE_ABI 1)
file(STRINGS include/heddle/heddle.h versions
    REGEX "^#define HEDDLE_(VERSION_(MAJOR|MINOR|PATCH)|ABI) ")
list(TRANSFORM versions REPLACE ".* " "")
list(JOIN versions "." versions)
if(NOT versions STREQUAL "${PROJECT_VERSION}.${HEDDLE_ABI}")
    message(FATAL_ERROR "include/heddle/heddle.h says ${versions}, not "
        "${PROJECT_VERSION}.${HEDDLE_ABI}")
endif()

file(GLOB api_sources CONFIGURE_DEPENDS src/api/*.c)
add_library(libheddle SHARED ${api_sources})
compile_once(libheddle)
link_cycles(libheddle)
target_include_directories(libheddle PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# Of what stands above study nothing is needed.
target_link_libraries(libheddle PRIVATE heddle_study heddle_flags)
target_link_options(libheddle PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/api/exports.map)
if(NOT HEDDLE_SANITIZE) # whose functions the program brings
    target_link_options(libheddle PRIVATE -Wl,-z,defs)
endif()
set_target_properties(libheddle PROPERTIES
    OUTPUT_NAME heddle
    EXPORT_NAME heddle
    VERSION ${HEDDLE_ABI}.${PROJECT_VERSION}
    SOVERSION ${HEDDLE_ABI}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
    LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/api/exports.map)

# What programs that use it run with, and what compiling them needs. Both:
# cmake --install build/release --component library
foreach(part libheddle1 libheddle-dev)
    install(CODE "execute_process(COMMAND \"\${CMAKE_COMMAND}\"
        --install \"${CMAKE_BINARY_DIR}\" --component ${part}
        --prefix \"\${CMAKE_INSTALL_PREFIX}\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT library EXCLUDE_FROM_ALL)
endforeach()
install(TARGETS libheddle EXPORT HeddleTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libheddle1
    NAMELINK_COMPONENT libheddle-dev)
install(DIRECTORY include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT libheddle-dev)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION ${package}
    COMPONENT libheddle-dev)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/share/HeddleConfig.cmake CONTENT
    "include(\"\${CMAKE_CURRENT_LIST_DIR}/HeddleTargets.cmake\")
" @ONLY)
write_basic_package_version_file(
    ${CMAKE_BINARY_DIR}/share/HeddleConfigVersion.cmake
    COMPATIBILITY AnyNewerVersion)
install(FILES ${CMAKE_BINARY_DIR}/share/HeddleConfig.cmake
    ${CMAKE_BINARY_DIR}/share/HeddleConfigVersion.cmake
    DESTINATION ${package} COMPONENT libheddle-dev)
# The folders are found from that of the file, so that the tree can be moved,
# unless a folder was named from / on.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(prefix /)
    set(include ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    set(libraries ${CMAKE_INSTALL_FULL_LIBDIR})
else()
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    set(prefix \${pcfiledir}/${up})
    set(include \${prefix}/${CMAKE_INSTALL_INCLUDEDIR})
    set(libraries \${prefix}/${CMAKE_INSTALL_LIBDIR})
endif()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/share/heddle.pc CONTENT
    "prefix=${prefix}
Name: heddle
Description: cycle-level GPU simulator
Version: ${PROJECT_VERSION}
Cflags: -I${include}
Libs: -L${libraries} -lheddle
" @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/share/heddle.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libheddle-dev)

# Tests call it as programs do: by its header, from the shared library.
file(GLOB api_tests CONFIGURE_DEPENDS tests/api/test_*.c)
foreach(source IN LISTS api_tests)
    get_filename_component(name ${source} NAME_WE)
    set(target api_${name})
    add_executable(${target} EXCLUDE_FROM_ALL ${source})
    target_include_directories(${target} PRIVATE tests tests/api)
    target_link_libraries(${target} PRIVATE libheddle heddle_flags)
    add_dependencies(unit_tests ${target})
    add_test(NAME api/${name} COMMAND ${target})
    set_tests_properties(api/${name} PROPERTIES
        SKIP_RETURN_CODE 77 LABELS api TIMEOUT 300
        ENVIRONMENT "HEDDLE_SOURCE=${CMAKE_SOURCE_DIR}")
endforeach()
