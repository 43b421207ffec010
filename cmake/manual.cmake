# manual_html: the documents as HTML in the folder manual of the build, where
# cmark-gfm is; `cmake --install` and the package heddle have them then.
find_program(CMARK_GFM cmark-gfm)
if(NOT CMARK_GFM)
    message(STATUS "cmark-gfm not found: no HTML manual")
    return()
endif()
file(GLOB documents CONFIGURE_DEPENDS *.md docs/*.md docs/*/*.md docs/*.png
    docs/*/*.svg docs/*/*.png)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/manual/index.html
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/manual
    COMMAND ${CMAKE_SOURCE_DIR}/tools/manual-html ${CMAKE_BINARY_DIR}/manual
    DEPENDS ${documents} cmake/manual.css tools/manual-html
    VERBATIM)
add_custom_target(manual_html ALL
    DEPENDS ${CMAKE_BINARY_DIR}/manual/index.html)
install(DIRECTORY ${CMAKE_BINARY_DIR}/manual/
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/html)
