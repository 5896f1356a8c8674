# The Python package, tested where it stands and as pip installs it. Sanitizers cannot be loaded by an
# interpreter without them.
if(LABELSIEVE_SANITIZE)
  return()
endif()
find_program(system_python python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT system_python)
  find_program(system_python python3 REQUIRED)
endif()
set(python_environment "LABELSIEVE_LIBRARY=$<TARGET_FILE:labelsieve_c>"
  "PYTHONPATH=${PROJECT_SOURCE_DIR}/python" "PYTHONDONTWRITEBYTECODE=1")
if(TARGET sieve)
  list(APPEND python_environment "SIEVE_COMMAND=$<TARGET_FILE:sieve>")
endif()
list(APPEND python_environment "TRAIN_FILE_C=$<TARGET_FILE:train_file_c>")
function(add_python_test name)
  add_test(NAME python.${name} COMMAND ${system_python} -m pytest -q -ra ${ARGN}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(python.${name} PROPERTIES ENVIRONMENT "${python_environment}" TIMEOUT 300)
endfunction()

add_python_test(examples_in_docstrings_run --doctest-modules python/labelsieve)
file(GLOB python_tests RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/python CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/python/test_*.py)
foreach(file ${python_tests})
  string(REGEX REPLACE "test_(.*)\\.py" "\\1" name ${file})
  add_python_test(${name} tests/python/${file})
endforeach()
add_python_test(documented_examples_run --doctest-glob=*.md README.md docs/python.md docs/python-api.md docs/five-jobs.md)

# Types, as those who use the package meet them. pyright comes from npm; mypy from Debian.
add_test(NAME python.types_find_mistakes_of_callers
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/types/run ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/types)
set_tests_properties(python.types_find_mistakes_of_callers PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
find_program(mypy_program mypy)
if(mypy_program)
  add_test(NAME python.types_of_the_package_are_right
    COMMAND ${mypy_program} --config-file ${PROJECT_SOURCE_DIR}/pyproject.toml
      --cache-dir ${CMAKE_CURRENT_BINARY_DIR}/mypy -p labelsieve
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/python)
  set_tests_properties(python.types_of_the_package_are_right PROPERTIES TIMEOUT 300)
endif()
