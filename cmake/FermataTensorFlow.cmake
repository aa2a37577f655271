# Finds the folder with TensorFlow's libraries and headers and offers
#
#   fermata_tensorflow_plugin(NAME SOURCES file... [CXX_API_SOURCES file...] [LINKS target...])
#
# which makes libNAME.so, the module that the core opens with dlopen. CXX_API_SOURCES are the sources that
# include TensorFlow's C++ headers: they are compiled with those headers' own flags and without our warnings.
# LINKS are component libraries whose code the plug-in carries a copy of (fermata_wire).
#
# fermata_tensorflow_headers     an interface target with the headers alone, for tests
#
# Without FERMATA_WITH_TENSORFLOW the function makes nothing, and there is no target fermata_tensorflow_headers.

if(NOT FERMATA_WITH_TENSORFLOW)
  set(FERMATA_TENSORFLOW_VERSION "")
  set(FERMATA_TENSORFLOW_DIR "")
  function(fermata_tensorflow_plugin name)
  endfunction()
  return()
endif()

if(NOT EXISTS ${FERMATA_TENSORFLOW_DIR}/lib/libtensorflow_cc.so.2
   OR NOT EXISTS ${FERMATA_TENSORFLOW_DIR}/include/tensorflow/c/c_api.h)
  message(FATAL_ERROR "TensorFlow ${FERMATA_TENSORFLOW_VERSION} is not in ${FERMATA_TENSORFLOW_DIR}: run "
                      "scripts/setup, or configure with -DFERMATA_WITH_TENSORFLOW=OFF.")
endif()

add_library(fermata_tensorflow_headers INTERFACE)
target_include_directories(fermata_tensorflow_headers SYSTEM INTERFACE ${FERMATA_TENSORFLOW_DIR}/include)

function(fermata_tensorflow_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CXX_API_SOURCES;LINKS")
  add_library(${name} MODULE ${arg_SOURCES} ${arg_CXX_API_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                             ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE ${arg_LINKS} fermata_tensorflow_headers fermata_warnings
                                        fermata_sanitizers)
  # Under UBSan g++ refuses constant expressions of those headers that compare a function with nullptr.
  set(cxx_api_flags -w)
  if(FERMATA_SANITIZE MATCHES undefined)
    list(APPEND cxx_api_flags -fno-sanitize=undefined)
  endif()
  set_source_files_properties(${arg_CXX_API_SOURCES} PROPERTIES COMPILE_OPTIONS "${cxx_api_flags}")
  # Both libraries must be named as needed even where the linker sees no use of one: their static initialisers
  # register the operations.
  target_link_options(
    ${name}
    PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/plugin_exports.map
    -L${FERMATA_TENSORFLOW_DIR}/lib
    -Wl,--push-state,--no-as-needed
    -l:libtensorflow_cc.so.2
    -l:libtensorflow_framework.so.2
    -Wl,--pop-state)
  # Installed, the plug-in names no folder: the core has opened TensorFlow's libraries by then, from wherever it
  # found them, and the loader takes those.
  set_target_properties(
    ${name}
    PROPERTIES PREFIX lib
               LIBRARY_OUTPUT_DIRECTORY ${FERMATA_OUTPUT_DIR}
               LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/plugin_exports.map
               BUILD_RPATH "$ORIGIN;${FERMATA_TENSORFLOW_DIR}/lib"
               INSTALL_RPATH "")
endfunction()
