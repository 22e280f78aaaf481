// Boost.Asio and Boost.Beast, compiled once: with BOOST_ASIO_SEPARATE_COMPILATION and BOOST_BEAST_SEPARATE_COMPILATION their
// headers hold declarations only.
#include <utility>
// Asio 1.74 leaves <utility> out.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
