# Settings of single folders: extra libraries, flags, generated files.
if(TARGET heddle_exec)
    # Lane loops vectorise only at -O3 (gcc 12 uses the very-cheap model at
    # -O2).
    target_compile_options(heddle_exec PRIVATE $<$<CONFIG:Release>:-O3>)
endif()

# base hashes with xxHash.
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
if(TARGET heddle_base)
    target_link_libraries(heddle_base PUBLIC PkgConfig::XXHASH)
endif()
