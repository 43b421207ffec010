# The commit that the sources are of, as text for --version, reports and results
# files: looked up at every build, but written only if it changed, so that one
# small file is compiled then. Included, it makes the target heddle_commit; as a
# script (cmake -D SOURCE= -D OUT= -P) it does the work. Without git or .git it is
# what git archive put into commit.txt, else "unknown".
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(out ${CMAKE_BINARY_DIR}/gen/commit.c)
    add_custom_target(commit_text BYPRODUCTS ${out}
        COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D OUT=${out}
            -P ${CMAKE_CURRENT_LIST_FILE}
        COMMENT "")
    add_library(heddle_commit OBJECT ${out})
    compile_once(heddle_commit)
    target_link_libraries(heddle_commit PRIVATE heddle_flags)
    add_dependencies(heddle_commit commit_text)
    return()
endif()

cmake_minimum_required(VERSION 3.20)
set(commit "")
if(EXISTS ${SOURCE}/.git)
    find_program(GIT git)
endif()
if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=10 HEAD
        OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(
        COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no
        OUTPUT_VARIABLE changed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(commit AND changed)
        string(APPEND commit "-dirty")
    endif()
else()
    file(STRINGS ${SOURCE}/cmake/commit.txt commit LIMIT_COUNT 1)
    if(commit MATCHES "Format")
        set(commit "")
    endif()
    string(SUBSTRING "${commit}" 0 10 commit)
endif()
if(commit)
    set(behind "+${commit}")
else()
    set(commit "unknown")
    set(behind "")
endif()
set(text "/* Made by cmake/commit.cmake. */
#include \"base/version.h\"

const char heddle_commit[] = \"${commit}\";
const char version_text[] = HEDDLE_VERSION \"${behind}\";
")
set(before "")
if(EXISTS ${OUT})
    file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
    file(WRITE ${OUT} "${text}")
endif()
