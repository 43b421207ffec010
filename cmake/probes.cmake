# The templates of probes/, as one C file made by cmake/probes_embed.cmake.
file(GLOB probe_templates CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/probes/*.sass)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/gen/probe_asset.c
    COMMAND ${CMAKE_COMMAND} -D DIR=${CMAKE_SOURCE_DIR}/probes
        -D OUT=${CMAKE_BINARY_DIR}/gen/probe_asset.c
        -P ${CMAKE_SOURCE_DIR}/cmake/probes_embed.cmake
    DEPENDS ${probe_templates} ${CMAKE_SOURCE_DIR}/cmake/probes_embed.cmake)
if(TARGET heddle_probe)
    target_sources(heddle_probe PRIVATE ${CMAKE_BINARY_DIR}/gen/probe_asset.c)
endif()
install(DIRECTORY probes DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle
    FILES_MATCHING PATTERN "*.sass")
