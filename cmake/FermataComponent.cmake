# fermata_component(NAME SOURCES file... [DEPENDS component...] [PRIVATE_LIBS target...])
#
# One component of the library, in src/NAME/CMakeLists.txt:
#
#   fermata_component(
#     checkpoint
#     SOURCES bundle_reader.cc bundle_writer.cc
#     DEPENDS core wire platform
#     PRIVATE_LIBS third_party::leveldb third_party::fmt)
#
# makes the static library fermata_NAME (position-independent, hidden visibility, project warnings). Its
# objects go into libfermata.so; unit tests link fermata_NAME itself, so they also see what is not exported.
# DEPENDS names components (without the prefix) in any order, also such as are defined later.
# PRIVATE_LIBS are third_party::... targets (cmake/FermataDependencies.cmake) that the sources use.
#
# Includes are written from two roots: include/ for what is public ("fermata/error.h") and src/ for what is not
# ("wire/crc32c.h", "engines/native/native_session.h"). "build_config.h" (paths and versions known to CMake) is
# generated; see cmake/build_config.h.in.
#
# fermata_shared_library(NAME)    libNAME.so, made of all components
# fermata_program(NAME SOURCES file... [PRIVATE_LIBS target...])
#                                 a program that links only the shared library, in the top of the build folder
# fermata_check_components()      fails if a component depends on one that does not exist

set_property(GLOBAL PROPERTY FERMATA_COMPONENTS "")

set(FERMATA_ADDRESS_SANITIZER false)
if(FERMATA_SANITIZE MATCHES address)
  set(FERMATA_ADDRESS_SANITIZER true)
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/build_config.h.in ${PROJECT_BINARY_DIR}/generated/build_config.h @ONLY)

function(fermata_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;PRIVATE_LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fermata_component(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target fermata_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  target_include_directories(
    ${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
    PRIVATE ${PROJECT_BINARY_DIR}/generated)
  list(TRANSFORM arg_DEPENDS PREPEND fermata_ OUTPUT_VARIABLE depends)
  target_link_libraries(
    ${target}
    PUBLIC ${depends} Threads::Threads fermata_sanitizers
    PRIVATE ${arg_PRIVATE_LIBS} fermata_warnings)
  fermata_use_precompiled(${target} component)
  set_property(GLOBAL APPEND PROPERTY FERMATA_COMPONENTS ${name})
  set_property(GLOBAL APPEND PROPERTY FERMATA_COMPONENT_LIBS ${arg_PRIVATE_LIBS})
  foreach(needed IN LISTS arg_DEPENDS)
    set_property(GLOBAL APPEND PROPERTY FERMATA_NEEDED_COMPONENTS "${needed} (needed by ${name})")
  endforeach()
endfunction()

function(fermata_shared_library name)
  get_property(components GLOBAL PROPERTY FERMATA_COMPONENTS)
  get_property(libs GLOBAL PROPERTY FERMATA_COMPONENT_LIBS)
  list(REMOVE_DUPLICATES libs)
  if(NOT components)
    return()
  endif()
  add_library(${name} SHARED)
  add_library(fermata::${name} ALIAS ${name})
  foreach(component IN LISTS components)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:fermata_${component}>)
  endforeach()
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE "$<BUILD_INTERFACE:${libs}>" Threads::Threads ${CMAKE_DL_LIBS}
                                        $<BUILD_INTERFACE:fermata_sanitizers>)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports})
  # clang puts a sanitizer's functions into programs only.
  if(NOT FERMATA_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(
    ${name}
    PROPERTIES VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}
               LINKER_LANGUAGE CXX
               LINK_DEPENDS ${exports}
               LIBRARY_OUTPUT_DIRECTORY ${FERMATA_OUTPUT_DIR})
endfunction()

function(fermata_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PRIVATE_LIBS")
  # The library has the plain name as its target, so a program of the same name gets another one.
  set(target ${name})
  if(TARGET ${name})
    set(target ${name}_program)
  endif()
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE fermata::fermata ${arg_PRIVATE_LIBS} fermata_warnings fermata_sanitizers)
  set_target_properties(
    ${target}
    PROPERTIES OUTPUT_NAME ${name}
               RUNTIME_OUTPUT_DIRECTORY ${FERMATA_OUTPUT_DIR}
               BUILD_RPATH_USE_ORIGIN ON
               INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endfunction()

function(fermata_check_components)
  get_property(needed GLOBAL PROPERTY FERMATA_NEEDED_COMPONENTS)
  foreach(entry IN LISTS needed)
    string(REGEX REPLACE " .*" "" component "${entry}")
    if(NOT TARGET fermata_${component})
      message(FATAL_ERROR "There is no component ${entry}.")
    endif()
  endforeach()
endfunction()
