# Files that become part of the binary: message catalogues (compiled by msgfmt) and data tables.

# Checks and compiles po/*.po. The English catalogue holds its texts as msgid; msgen fills in the
# translations. Sets OUT to the .mo files, as paths below the build folder ("po/en.mo").
function(gpuready_compile_messages OUT)
  find_program(MSGFMT msgfmt REQUIRED)
  find_program(MSGEN msgen REQUIRED)
  file(GLOB po_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/po/*.po)
  set(outputs)
  foreach(po ${po_files})
    get_filename_component(language ${po} NAME_WE)
    set(mo ${PROJECT_BINARY_DIR}/po/${language}.mo)
    if(language STREQUAL "en")
      set(filled ${PROJECT_BINARY_DIR}/po/en.filled.po)
      add_custom_command(OUTPUT ${mo} DEPENDS ${po}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/po
        COMMAND ${MSGEN} --no-wrap -o ${filled} ${po}
        COMMAND ${MSGFMT} --check -o ${mo} ${filled})
    else()
      add_custom_command(OUTPUT ${mo} DEPENDS ${po}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/po
        COMMAND ${MSGFMT} --check -o ${mo} ${po})
    endif()
    list(APPEND outputs po/${language}.mo)
  endforeach()
  set(${OUT} ${outputs} PARENT_SCOPE)
endfunction()

# Writes a source file that includes each given file (relative to the source folder or, for
# generated ones, to the build folder) with the assembler's .incbin. Sets OUT to its path.
function(gpuready_embed OUT)
  set(source ${PROJECT_BINARY_DIR}/embedded_files.cpp)
  set(blobs "")
  set(rows "")
  set(depends)
  set(index 0)
  foreach(name ${ARGN})
    if(EXISTS ${PROJECT_SOURCE_DIR}/${name})
      set(path ${PROJECT_SOURCE_DIR}/${name})
    else()
      set(path ${PROJECT_BINARY_DIR}/${name})
    endif()
    list(APPEND depends ${path})
    string(APPEND blobs
      "asm(\".section .rodata\\n.global gpuready_blob_${index}\\n.global gpuready_blob_${index}_end\\n\"\n"
      "    \".hidden gpuready_blob_${index}\\n.hidden gpuready_blob_${index}_end\\n\"\n"
      "    \"gpuready_blob_${index}:\\n.incbin \\\"${path}\\\"\\n\"\n"
      "    \"gpuready_blob_${index}_end:\\n.byte 0\\n.previous\\n\");\n"
      "extern \"C\" const char gpuready_blob_${index}[], gpuready_blob_${index}_end[];\n")
    string(APPEND rows
      "      {\"${name}\", {gpuready_blob_${index},\n"
      "       static_cast<std::size_t>(gpuready_blob_${index}_end - gpuready_blob_${index})}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made by cmake/embed.cmake.
#include \"base/embedded.hpp\"

${blobs}
namespace gpuready::base {
const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> files{
${rows}  };
  return files;
}
}  // namespace gpuready::base
")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${depends}")
  set(${OUT} ${source} PARENT_SCOPE)
endfunction()
