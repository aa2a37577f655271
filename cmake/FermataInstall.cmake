# What `cmake --install` copies: headers, the library, the plug-in beside it, the program, the testkit if it is
# built, and the package files that find_package(fermata) reads.

include(CMakePackageConfigHelpers)

set(FERMATA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fermata)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/fermata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN "*.h")

set(exported fermata)
if(TARGET fermata_testkit)
  list(APPEND exported fermata_testkit)
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/testkit/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
    PATTERN "*.h")
endif()
install(TARGETS ${exported} EXPORT fermataTargets)
install(EXPORT fermataTargets NAMESPACE fermata:: DESTINATION ${FERMATA_PACKAGE_DIR})

if(TARGET fermata_tensorflow)
  # The loader looks beside libfermata.so, in the build tree as well as here.
  install(TARGETS fermata_tensorflow LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(program IN ITEMS fermata_program fermata-conformance)
  if(TARGET ${program})
    install(TARGETS ${program})
  endif()
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fermataConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/generated/fermataConfig.cmake
                              INSTALL_DESTINATION ${FERMATA_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/fermataConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/fermataConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/fermataConfigVersion.cmake DESTINATION ${FERMATA_PACKAGE_DIR})
