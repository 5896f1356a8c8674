# The Debian packages of `make package`: the command (sieve) with its manual pages and completions,
# what it needs to run on several machines (sieve-mpi), the shared library (liblabelsieve0.3), what
# programs in C and C++ are built with (liblabelsieve-dev), and the Python package.
set(documents ${PROJECT_BINARY_DIR}/documents)
add_custom_command(OUTPUT ${documents}/man/man1/sieve.1.gz
  COMMAND ${CMAKE_COMMAND} -DSIEVE=$<TARGET_FILE:sieve> -DINTO=${documents}
    -P ${PROJECT_SOURCE_DIR}/cmake/Documents.cmake
  DEPENDS sieve ${PROJECT_SOURCE_DIR}/cmake/Documents.cmake VERBATIM
  COMMENT "Writing manual pages and completions")
add_custom_target(sieve_documents ALL DEPENDS ${documents}/man/man1/sieve.1.gz)
add_custom_target(packaged DEPENDS sieve_documents labelsieve labelsieve_web labelsieve_c)

set(packages sieve liblabelsieve0.3 liblabelsieve-dev python3-labelsieve)
if(TARGET labelsieve_mpi)
  list(APPEND packages sieve-mpi)
endif()
foreach(package ${packages})
  install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${package})
endforeach()
install(DIRECTORY ${documents}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT sieve)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sieve COMPONENT sieve)
install(DIRECTORY python/labelsieve DESTINATION lib/python3/dist-packages
        COMPONENT python3-labelsieve EXCLUDE_FROM_ALL PATTERN __pycache__ EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME labelsieve)
set(CPACK_PACKAGE_CONTACT "LabelSieve <labelsieve@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${packages})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# deb(NAME SECTION DESCRIPTION [field value]...)
function(deb name section description)
  string(TOUPPER ${name} key)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  while(ARGN)
    list(POP_FRONT ARGN field value)
    set(CPACK_DEBIAN_${key}_${field} "${value}" PARENT_SCOPE)
  endwhile()
endfunction()

# These are loaded only when something needs them.
set(blas "libopenblas0-openmp | libopenblas0")
set(extras "libmatio11, libxlsxwriter4")
deb(sieve science "Find wrong labels in multi-label data, and learn despite them.
The command sieve reads rows whose labels are partly wrong, such as the union
of what several people ticked, tells right labels from noise, and trains models
that predict the labels of new rows."
  PACKAGE_SHLIBDEPS ON PACKAGE_DEPENDS "${blas}" PACKAGE_RECOMMENDS "${extras}"
  PACKAGE_SUGGESTS sieve-mpi)
deb(sieve-mpi science "Run sieve on several machines.
The part of the command sieve that talks to MPI, for experiments and trainings
that many machines share."
  PACKAGE_SHLIBDEPS ON PACKAGE_DEPENDS "sieve (= ${PROJECT_VERSION}), openmpi-bin")
deb(liblabelsieve0.3 libs "Learn from over-complete labels.
The shared library of LabelSieve, which the Python package and programs in C use."
  PACKAGE_SHLIBDEPS ON PACKAGE_DEPENDS "${blas}" PACKAGE_RECOMMENDS "${extras}")
deb(liblabelsieve-dev libdevel "Build programs with LabelSieve.
Headers and libraries for C and C++, and what find_package(LabelSieve) of CMake
looks for."
  PACKAGE_DEPENDS "liblabelsieve0.3 (= ${PROJECT_VERSION}), pkg-config, zlib1g-dev, libfmt-dev, \
libpugixml-dev, nlohmann-json3-dev, libboost-dev, libhwy-dev, libzip-dev, \
libsimdjson-dev, libutf8proc-dev, libsqlite3-dev, libmicrohttpd-dev"
  PACKAGE_RECOMMENDS "g++, cmake")
deb(python3-labelsieve python "Learn from over-complete labels, in Python.
A classifier and a cleaner for scikit-learn, and all that reads, trains, measures
and predicts."
  PACKAGE_ARCHITECTURE all
  PACKAGE_DEPENDS "liblabelsieve0.3 (= ${PROJECT_VERSION}), python3 (>= 3.9), python3-numpy, \
python3-scipy, python3-sklearn"
  PACKAGE_RECOMMENDS "python3-pandas, python3-tqdm")
set(CPACK_DEBIAN_PYTHON3-LABELSIEVE_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/cmake/debian/postinst ${PROJECT_SOURCE_DIR}/cmake/debian/prerm)
include(CPack)
