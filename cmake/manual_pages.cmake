# Writes the pages of section 1 into OUT: what HEDDLE prints, heddle.1 and one for
# each command that it names, and those of MORE; as .gz where there is a GZIP.
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
execute_process(COMMAND ${HEDDLE} doc manual OUTPUT_VARIABLE page
    COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${OUT}/heddle.1 "${page}")
string(REGEX MATCHALL "\\.Xr heddle[\\]-[a-z]+" names "${page}")
foreach(name IN LISTS names)
    string(REGEX REPLACE ".*-" "" name "${name}")
    execute_process(COMMAND ${HEDDLE} doc manual ${name}
        OUTPUT_FILE ${OUT}/heddle-${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB more ${MORE}/*.1)
file(COPY ${more} DESTINATION ${OUT})
if(GZIP)
    file(GLOB pages ${OUT}/*.1)
    execute_process(COMMAND ${GZIP} -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
