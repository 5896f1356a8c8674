#include "review/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "labelsieve/error.h"
#include "review/api.h"
#include "review/untrusted_connections.h"

namespace sieve {
namespace {

using Response = std::unique_ptr<MHD_Response, decltype(&MHD_destroy_response)>;

// 128 bits that nobody can guess, as 32 digits.
std::string random_digits() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(Failure::Io, "getrandom failed: " + std::string(std::strerror(errno)));
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4U];
    digits += "0123456789abcdef"[byte & 15U];
  }
  return digits;
}

// Takes as long for a wrong token as for the right one.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

std::string_view header(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int socket_of(MHD_Connection* connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

// Who is at the other end: the bytes of an IPv4 address, or of the network of an IPv6 one.
std::string address_of(MHD_Connection* connection) {
  const sockaddr* from =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
  constexpr std::size_t kNetwork = 8;
  if (from->sa_family == AF_INET6)
    return {reinterpret_cast<const char*>(&reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr),
            kNetwork};
  return {reinterpret_cast<const char*>(&reinterpret_cast<const sockaddr_in*>(from)->sin_addr),
          sizeof(in_addr)};
}

MHD_Result take_argument(void* into, MHD_ValueKind, const char* name, const char* value) {
  static_cast<ReviewRequest*>(into)->query[name] = value == nullptr ? "" : value;
  return MHD_YES;
}

// A request whose body is still coming.
struct Coming {
  ReviewRequest request;
};

constexpr const char* kNoPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'";

std::string page_policy(const std::string& nonce) {
  return "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce +
         "'; img-src 'self' data:; media-src 'self'; connect-src 'self'; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'";
}

Response text_response(const std::string& text) {
  return {MHD_create_response_from_buffer(text.size(), const_cast<char*>(text.data()),
                                          MHD_RESPMEM_MUST_COPY),
          &MHD_destroy_response};
}

void add_headers(MHD_Response* response, const std::string& type, const std::string& policy) {
  const std::array<std::pair<const char*, const char*>, 7> headers = {{
      {"Content-Type", type.c_str()},
      {"Content-Security-Policy", policy.c_str()},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cache-Control", "no-store"},
  }};
  for (const auto& [name, value] : headers) MHD_add_response_header(response, name, value);
}

MHD_Result send(MHD_Connection* connection, int status, const std::string& text,
                const std::string& type = "application/json; charset=utf-8",
                const std::string& policy = kNoPolicy) {
  const Response response = text_response(text);
  add_headers(response.get(), type, policy);
  return MHD_queue_response(connection, static_cast<unsigned>(status), response.get());
}

MHD_Result refuse(MHD_Connection* connection, int status, const char* why) {
  return send(connection, status, std::string(why) + "\n", "text/plain; charset=utf-8");
}

MHD_Result send_file(MHD_Connection* connection, const ReviewReply& reply) {
  const int file = ::open(reply.file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  if (file < 0 || ::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    if (file >= 0) ::close(file);
    return refuse(connection, 404, "there is no such file");
  }
  const Response response{
      MHD_create_response_from_fd64(static_cast<std::uint64_t>(facts.st_size), file),
      &MHD_destroy_response};
  add_headers(response.get(), reply.type, kNoPolicy);
  return MHD_queue_response(connection, MHD_HTTP_OK, response.get());
}

struct Address {
  sockaddr_storage storage{};
  bool is_v6 = false;

  Address(const std::string& text, std::uint16_t port) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
      v4->sin_family = AF_INET;
      v4->sin_port = htons(port);
    } else if (::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
      v6->sin6_family = AF_INET6;
      v6->sin6_port = htons(port);
      is_v6 = true;
    } else {
      throw Error(Failure::Usage, "'" + text + "' is not an address", {},
                  "write it in numbers, e.g. 127.0.0.1");
    }
  }
};

}  // namespace

class ReviewServer::Impl {
 public:
  Impl(Handler handler, const ServerOptions& options)
      : handler_(std::move(handler)), options_(options), token_(random_digits()) {
    const Address address(options.address, options.port);
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL;
    if (address.is_v6) flags |= MHD_USE_IPv6;
    std::vector<MHD_OptionItem> more;
    if (!options.certificate.empty()) {
      flags |= MHD_USE_TLS;
      more.push_back(
          {MHD_OPTION_HTTPS_MEM_CERT, 0, const_cast<char*>(options.certificate.c_str())});
      more.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char*>(options.key.c_str())});
    }
    more.push_back({MHD_OPTION_END, 0, nullptr});
    daemon_.reset(MHD_start_daemon(
        flags, options.port, nullptr, nullptr, &Impl::handle, this, MHD_OPTION_SOCK_ADDR,
        &address.storage, MHD_OPTION_CONNECTION_LIMIT, ServerLimits::kConnections,
        MHD_OPTION_CONNECTION_TIMEOUT, ServerLimits::kIdleSeconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, ServerLimits::kHeaders, MHD_OPTION_NOTIFY_COMPLETED,
        &Impl::forget, nullptr, MHD_OPTION_NOTIFY_CONNECTION, &Impl::watch, this,
        MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U, MHD_OPTION_EXTERNAL_LOGGER, &Impl::keep_quiet,
        nullptr, MHD_OPTION_ARRAY, more.data(), MHD_OPTION_END));
    if (daemon_ == nullptr)
      throw Error(Failure::Io,
                  "cannot listen on " + options.address + ", port " + std::to_string(options.port) +
                      ": " + std::strerror(errno),
                  {}, "choose another port or address");
    const MHD_DaemonInfo* info = MHD_get_daemon_info(daemon_.get(), MHD_DAEMON_INFO_BIND_PORT);
    port_ = info->port;
    name_hosts();
    ready_ = true;
  }

  std::uint16_t port() const { return port_; }
  const std::string& token() const { return token_; }
  std::string link() const { return scheme() + "://" + hosts_.front() + "/?token=" + token_; }

 private:
  struct Stop {
    void operator()(MHD_Daemon* daemon) const { MHD_stop_daemon(daemon); }
  };

  std::string scheme() const { return options_.certificate.empty() ? "http" : "https"; }

  // The names that this server answers to: any other came by way of a foreign name (DNS
  // rebinding).
  void name_hosts() {
    const bool v6 = options_.address.find(':') != std::string::npos;
    const std::string port = ":" + std::to_string(port_);
    hosts_.push_back((v6 ? "[" + options_.address + "]" : options_.address) + port);
    hosts_.push_back("localhost" + port);
  }

  bool knows_host(std::string_view host) const { return std::ranges::count(hosts_, host) != 0; }

  bool knows_origin(std::string_view origin) const {
    const std::string start = scheme() + "://";
    return origin.empty() || (origin.starts_with(start) && knows_host(origin.substr(start.size())));
  }

  // Whether the request may come in at all; else it has been refused.
  const char* objection(MHD_Connection* connection, const ReviewRequest& request) const {
    if (!ready_) return "not yet";
    if (!knows_host(header(connection, "Host"))) return "this server has another name";
    if (!knows_origin(header(connection, "Origin"))) return "another page may not ask here";
    const std::string_view site = header(connection, "Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none")
      return "another page may not ask here";
    const std::string_view sent = header(connection, "X-Sieve-Token");
    const auto in_link = request.query.find("token");
    const bool link_will_do = request.path == "/" || request.path == "/media";
    if (!sent.empty() && same_secret(sent, token_)) return nullptr;
    if (link_will_do && in_link != request.query.end() && same_secret(in_link->second, token_))
      return nullptr;
    return "open the link that sieve has printed: its token is missing or wrong";
  }

  MHD_Result reply(MHD_Connection* connection, const ReviewRequest& request) {
    if (!request.post && request.path == "/") {
      const std::string nonce = random_digits();
      return send(connection, 200, review_page(nonce), "text/html; charset=utf-8",
                  page_policy(nonce));
    }
    const ReviewReply reply = handler_(request);
    if (!reply.file.empty()) return send_file(connection, reply);
    return send(connection, reply.status, reply.body);
  }

  MHD_Result begin(MHD_Connection* connection, const char* url, std::string_view method,
                   void** state) {
    auto coming = std::make_unique<Coming>();
    coming->request.post = method == "POST";
    coming->request.path = url;
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, &take_argument, &coming->request);
    if (const char* why = objection(connection, coming->request))
      return refuse(connection, 403, why);
    untrusted_.left(connection);
    if (method != "POST" && method != "GET") return refuse(connection, 405, "GET or POST");
    const std::string_view length = header(connection, "Content-Length");
    if (length.size() > 6 || std::atol(std::string(length).c_str()) > long{ServerLimits::kBody})
      return refuse(connection, 413, "the request is too long");
    *state = coming.release();
    return MHD_YES;
  }

  static MHD_Result handle(void* self, MHD_Connection* connection, const char* url,
                           const char* method, const char*, const char* data, std::size_t* size,
                           void** state) {
    Impl& server = *static_cast<Impl*>(self);
    try {
      if (*state == nullptr) return server.begin(connection, url, method, state);
      Coming& coming = *static_cast<Coming*>(*state);
      if (*size == 0) return server.reply(connection, coming.request);
      // Without a length the body may go on for ever: hang up.
      if (coming.request.body.size() + *size > ServerLimits::kBody) return MHD_NO;
      coming.request.body.append(data, *size);
      *size = 0;
      return MHD_YES;
    } catch (const std::exception&) {
      return MHD_NO;
    }
  }

  static void forget(void*, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
    delete static_cast<Coming*>(*state);
    *state = nullptr;
  }

  // Called on the thread of the server. It closes a connection that was shut down.
  static void watch(void* self, MHD_Connection* connection, void**,
                    MHD_ConnectionNotificationCode what) {
    UntrustedConnections& untrusted = static_cast<Impl*>(self)->untrusted_;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) return untrusted.left(connection);
    for (const int socket :
         untrusted.came(connection, socket_of(connection), address_of(connection),
                        UntrustedConnections::Clock::now()))
      ::shutdown(socket, SHUT_RDWR);
  }

  // What goes wrong with a connection is the client's business.
  static void keep_quiet(void*, const char*, va_list) {}

  Handler handler_;
  ServerOptions options_;
  std::string token_;
  std::uint16_t port_ = 0;
  std::atomic<bool> ready_ = false;
  std::vector<std::string> hosts_;
  UntrustedConnections untrusted_{ServerLimits::kUntrusted,
                                  std::chrono::seconds(ServerLimits::kTokenSeconds)};
  std::unique_ptr<MHD_Daemon, Stop> daemon_;
};

ReviewServer::ReviewServer(Handler handler, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(handler), options)) {}

ReviewServer::ReviewServer(Review& review, const ServerOptions& options)
    : ReviewServer([&review](const ReviewRequest& request) { return answer(review, request); },
                   options) {}

ReviewServer::~ReviewServer() = default;

std::uint16_t ReviewServer::port() const {
  return impl_->port();
}

const std::string& ReviewServer::token() const {
  return impl_->token();
}

std::string ReviewServer::link() const {
  return impl_->link();
}

}  // namespace sieve
