# Settings of single folders: extra libraries, flags, generated files.
if(TARGET heddle_exec)
    # Lane loops vectorise only at -O3 (gcc 12 uses the very-cheap model at
    # -O2); the other flags allow it without changing a result.
    set(exec_flags -fno-math-errno -fno-trapping-math
        "$<$<OR:$<CONFIG:Release>,$<CONFIG:RelWithDebInfo>>:-O3>")
    if(NOT HEDDLE_SANITIZE)
        list(APPEND exec_flags
            "$<$<OR:$<CONFIG:Release>,$<CONFIG:RelWithDebInfo>>:-DEXEC_OPTIMISED>")
    endif()
    target_compile_options(heddle_exec PRIVATE ${exec_flags})
    # The bodies of instructions, once more for hosts with AVX2 and FMA, and for
    # those with AVX-512; the choice is made at run time (exec/level.h).
    include(CheckCCompilerFlag)
    file(GLOB exec_bodies CONFIGURE_DEPENDS src/exec/sem/sem_*.c
        src/exec/texture/sem_*.c)
    list(APPEND exec_bodies src/exec/sem/fetch.c src/exec/mem.c
        src/exec/sem/ops.c src/exec/sem/product.c src/exec/turn.c)
    foreach(level v3 v4)
        string(TOUPPER ${level} upper)
        check_c_compiler_flag(-march=x86-64-${level} HEDDLE_MARCH_${upper})
        if(NOT HEDDLE_MARCH_${upper})
            continue()
        endif()
        add_library(heddle_exec_${level} OBJECT ${exec_bodies})
        target_link_libraries(heddle_exec_${level} PRIVATE heddle_flags)
        target_compile_options(heddle_exec_${level} PRIVATE ${exec_flags}
            -march=x86-64-${level})
        target_compile_definitions(heddle_exec_${level} PRIVATE
            EXEC_LEVEL=${level})
        target_sources(heddle_exec PRIVATE
            $<TARGET_OBJECTS:heddle_exec_${level}>)
        target_compile_definitions(heddle_exec PRIVATE EXEC_HAVE_${upper})
    endforeach()
endif()

# base hashes with xxHash.
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
if(TARGET heddle_base)
    target_link_libraries(heddle_base PUBLIC PkgConfig::XXHASH)
endif()

# Code in programs is packed with LZ4 or zstd.
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
if(TARGET heddle_fatbin)
    target_link_libraries(heddle_fatbin PUBLIC PkgConfig::ZSTD PkgConfig::LZ4)
endif()

# Traces are compressed, and what of them waits is: with zstd, and with xz where
# liblzma is there.
pkg_check_modules(LZMA IMPORTED_TARGET liblzma)
if(TARGET heddle_replay)
    target_link_libraries(heddle_replay PRIVATE PkgConfig::ZSTD)
    if(LZMA_FOUND)
        target_link_libraries(heddle_replay PRIVATE PkgConfig::LZMA)
        target_compile_definitions(heddle_replay PRIVATE HEDDLE_HAVE_LZMA)
    endif()
endif()

# Checkpoints of programs are compressed.
if(TARGET heddle_session)
    target_link_libraries(heddle_session PRIVATE PkgConfig::ZSTD)
endif()

# The server of `heddle watch`, where the headers of libmicrohttpd are there. It
# loads the library itself: nothing else has anything to do with it.
pkg_check_modules(MICROHTTPD libmicrohttpd)
if(TARGET heddle_monitor AND MICROHTTPD_FOUND)
    target_include_directories(heddle_monitor SYSTEM PRIVATE
        ${MICROHTTPD_INCLUDE_DIRS})
    target_compile_definitions(heddle_monitor PRIVATE HEDDLE_HAVE_MICROHTTPD)
endif()

# The presets of configs/ are embedded in the binary, as arrays of bytes.
file(GLOB preset_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/configs/*.yaml)
list(TRANSFORM preset_files REPLACE "\\.yaml$" "")
list(SORT preset_files)
set(preset_rows "")
set(preset_text "/* Made by cmake/parts.cmake from configs. */\n")
foreach(file IN LISTS preset_files)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER preset_${name} array)
    string(APPEND file ".yaml")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND preset_text
        "static const char ${array}[] = {${bytes}0};\n")
    string(APPEND preset_rows "    {\"${name}\", \"configs/${name}.yaml\", "
        "${array}, sizeof ${array} - 1},\n")
endforeach()
string(APPEND preset_text
    "static const config_preset presets[] = {\n${preset_rows}};\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gen/config_presets.inc
    CONTENT "${preset_text}" @ONLY)

# Results files are SQLite's; their format is embedded as an array of bytes.
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.38)
if(TARGET heddle_store)
    target_link_libraries(heddle_store PRIVATE PkgConfig::SQLITE)
endif()
set(schema_file ${CMAKE_SOURCE_DIR}/src/store/schema.sql)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema_file})
file(READ ${schema_file} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gen/store_schema.inc
    CONTENT "/* Made by cmake/parts.cmake from src/store/schema.sql. */
static const char store_schema[] = {${bytes}0};
" @ONLY)
