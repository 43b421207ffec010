# What every page carries: style and script of src/page and, for series, uPlot
# of third_party, as one C file made by cmake/page_embed.cmake.
set(page_files src/page/page.css src/page/page.js src/page/waterfall.js
    src/page/code.js src/page/timeline.js src/page/live.html src/page/live.css
    src/page/live.js
    third_party/uplot/uPlot.min.css third_party/uplot/uPlot.iife.min.js)
list(TRANSFORM page_files PREPEND ${CMAKE_SOURCE_DIR}/)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/gen/page_asset.c
    COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_SOURCE_DIR}
        -D OUT=${CMAKE_BINARY_DIR}/gen/page_asset.c
        -P ${CMAKE_SOURCE_DIR}/cmake/page_embed.cmake
    DEPENDS ${page_files} ${CMAKE_SOURCE_DIR}/cmake/page_embed.cmake)
if(TARGET heddle_page)
    target_sources(heddle_page PRIVATE ${CMAKE_BINARY_DIR}/gen/page_asset.c)
endif()
install(FILES third_party/uplot/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
    RENAME uplot-LICENSE)
