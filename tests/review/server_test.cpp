#include "review/server.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "review_set.h"
#include "support/wire.h"

namespace sieve::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Serving : public ::testing::Test {
 protected:
  Serving() {
    ReviewMaterial material = small_material();
    material.texts.rows[1][0] = "../secret.png";
    material.texts.rows[2][0] = "sub/ok.png";
    material.texts.rows[3][0] = "link.png";
    material.texts.rows[4][0] = "http://example.org/far/away/ok2.png?size=1";
    material.texts.rows[5][0] = "/etc/hostname.png";
    std::filesystem::create_directories(folder_ / "media/sub");
    write_file(folder_ / "secret.png", "secret");
    write_file(folder_ / "media/sub/ok.png", "picture");
    write_file(folder_ / "media/ok2.png", "other picture");
    std::filesystem::create_symlink(folder_ / "secret.png", folder_ / "media/link.png");
    ReviewOptions options;
    options.decisions = folder_ / "decisions.db";
    options.media = folder_ / "media";
    review_ = std::make_unique<Review>(std::move(material), options);
    server_ = std::make_unique<ReviewServer>(*review_, ServerOptions{});
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  std::string token_line() const { return "X-Sieve-Token: " + server_->token() + "\r\n"; }
  // The whole answer to a request with these header lines.
  std::string ask(const std::string& first, const std::string& headers,
                  const std::string& body = "") const {
    const Wire wire(server_->port());
    wire.say(first + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n" + body);
    return wire.hear();
  }
  std::string get(const std::string& path) const {
    return ask("GET " + path, "Host: " + host() + "\r\n" + token_line());
  }

  TempFolder folder_;
  std::unique_ptr<Review> review_;
  std::unique_ptr<ReviewServer> server_;
};

TEST_F(Serving, the_link_opens_the_page_under_a_strict_policy) {
  const std::string page = ask("GET /?token=" + server_->token(), "Host: " + host() + "\r\n");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'nonce-"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("unsafe")));
  EXPECT_THAT(page, HasSubstr("<!doctype html>"));
  EXPECT_THAT(server_->link(), StartsWith("http://127.0.0.1:"));
}

TEST_F(Serving, nothing_is_told_without_the_token) {
  const std::string name = "Host: " + host() + "\r\n";
  for (const std::string& path :
       std::vector<std::string>{"/", "/api/start", "/api/next?reviewer=A", "/media?row=2&column=0",
                                "/api/start?token=" + server_->token()})
    EXPECT_THAT(ask("GET " + path, name), StartsWith("HTTP/1.1 403")) << path;
  std::string wrong = server_->token();
  wrong[5] = wrong[5] == '0' ? '1' : '0';
  for (const std::string& bad : {wrong, server_->token() + "0", server_->token().substr(1),
                                 std::string("x"), std::string(10000, 'a')})
    EXPECT_THAT(ask("GET /api/start", name + "X-Sieve-Token: " + bad + "\r\n"),
                StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(get("/api/start"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Serving, other_hosts_and_origins_are_refused) {
  for (const char* other : {"evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"})
    EXPECT_THAT(ask("GET /api/start", std::string("Host: ") + other + "\r\n" + token_line()),
                StartsWith("HTTP/1.1 403"))
        << other;
  const std::string good = "Host: " + host() + "\r\n" + token_line();
  for (const std::string& origin :
       std::vector<std::string>{"http://evil.example", "null", "https://" + host(),
                                "http://" + host() + ".evil.example"})
    EXPECT_THAT(ask("GET /api/start", good + "Origin: " + origin + "\r\n"),
                StartsWith("HTTP/1.1 403"))
        << origin;
  EXPECT_THAT(ask("GET /api/start", good + "Sec-Fetch-Site: cross-site\r\n"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask("GET /api/start", good + "Origin: http://" + host() + "\r\n"),
              StartsWith("HTTP/1.1 200"));
}

TEST_F(Serving, media_never_leave_their_folder) {
  const auto media = [&](int row) { return get("/media?column=0&row=" + std::to_string(row)); };
  EXPECT_THAT(media(2), ::testing::AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("image/png"),
                                         HasSubstr("picture")));
  EXPECT_THAT(media(4), HasSubstr("other picture")) << "the last part of a URL";
  for (const int row : {0, 1, 3, 5, 6, 1000000})
    EXPECT_THAT(media(row), StartsWith("HTTP/1.1 404")) << row;
  for (const std::string& path : std::vector<std::string>{
           "/../secret.png", "/media/../secret.png", "/media/%2e%2e/secret.png",
           "/media?row=../1&column=0", "/etc/passwd"})
    EXPECT_THAT(get(path), ::testing::Not(HasSubstr("secret"))) << path;
}

TEST_F(Serving, long_bodies_are_refused_unread) {
  const std::string good = "Host: " + host() + "\r\n" + token_line();
  const Wire wire(server_->port());
  wire.say("POST /api/decide HTTP/1.1\r\n" + good + "Content-Length: 104857600\r\n\r\n");
  EXPECT_THAT(wire.hear(), StartsWith("HTTP/1.1 413"));
  // Without a length, the server hangs up once it is too much.
  const Wire endless(server_->port());
  endless.say("POST /api/decide HTTP/1.1\r\n" + good + "Transfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  std::size_t sent = 0;
  while (sent < 1600 && endless.say(chunk)) ++sent;
  EXPECT_LT(sent, 1600U) << "100 MB were taken";
  // Headers without an end as well.
  const Wire headers(server_->port());
  headers.say("GET / HTTP/1.1\r\n");
  for (int k = 0; k < 100 && headers.say("X-Long: " + std::string(1000, 'x') + "\r\n");) ++k;
  EXPECT_THAT(headers.hear(), ::testing::Not(StartsWith("HTTP/1.1 200")));
  EXPECT_THAT(get("/api/start"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Serving, slow_clients_keep_nobody_waiting) {
  std::vector<Wire> slow;
  for (int k = 0; k < 50; ++k) {
    slow.emplace_back(server_->port());
    slow.back().say("POST /api/decide HTTP/1.1\r\nHost: " + host() + "\r\nContent-Length: 100\r\n" +
                    token_line() + "\r\n{");
  }
  for (int k = 0; k < 20; ++k) {
    slow[static_cast<std::size_t>(k)].say(" ");
    EXPECT_THAT(get("/api/start"), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(Serving, strangers_who_trickle_bytes_keep_nobody_out) {
  const std::string start = "GET / HTTP/1.1\r\nHost: " + host() + "\r\nX-Long: ";
  std::vector<Wire> slow;
  while (slow.size() < 2 * ServerLimits::kConnections) {
    slow.emplace_back(server_->port());
    slow.back().say(start);
  }
  const Wire fresh(server_->port());
  fresh.say("GET /api/start HTTP/1.1\r\nConnection: close\r\nHost: " + host() + "\r\n" +
            token_line() + "\r\n");
  // None of them is ever idle; all are open until the request is answered.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!fresh.has_word() && std::chrono::steady_clock::now() < patience)
    for (const Wire& one : slow) one.say("x");
  ASSERT_TRUE(fresh.has_word());
  EXPECT_THAT(fresh.hear(), StartsWith("HTTP/1.1 200"));
}

TEST_F(Serving, strangers_cannot_close_the_connection_of_a_reviewer) {
  const Wire reviewer(server_->port());
  const std::string asked =
      "GET /api/start HTTP/1.1\r\nHost: " + host() + "\r\n" + token_line() + "\r\n";
  reviewer.say(asked);
  ASSERT_TRUE(reviewer.waits_for_word());
  std::vector<Wire> slow;
  while (slow.size() < 2 * ServerLimits::kConnections) {
    slow.emplace_back(server_->port());
    slow.back().say("GET / HTTP/1.1\r\n");
  }
  EXPECT_THAT(get("/api/start"), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(reviewer.say(std::string(asked).insert(asked.find("Host"), "Connection: close\r\n")));
  const std::string both = reviewer.hear();
  EXPECT_NE(both.find("HTTP/1.1 200"), both.rfind("HTTP/1.1 200")) << "two answers";
}

TEST_F(Serving, clients_who_do_not_listen_keep_nobody_waiting) {
  write_file(folder_ / "media/sub/ok.png", std::string(std::size_t{16} << 20U, 'x'));
  std::vector<Wire> deaf;
  for (int k = 0; k < 50; ++k) {
    deaf.emplace_back(server_->port());
    deaf.back().say("GET /media?column=0&row=2 HTTP/1.1\r\nHost: " + host() + "\r\n" +
                    token_line() + "\r\n");
  }
  for (int k = 0; k < 20; ++k) EXPECT_THAT(get("/api/start"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Serving, ten_thousand_idle_connections_are_bounded_and_pass) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const rlim_t before = files.rlim_cur;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const std::size_t wanted =
      std::min<std::size_t>(10000, files.rlim_cur > 500 ? files.rlim_cur - 400 : 100);
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  {
    std::vector<Wire> idle;
    while (idle.size() < wanted) idle.emplace_back(server_->port(), SOCK_NONBLOCK);
    // Both ends are in this process: the server has kept no more than its limit.
    EXPECT_LT(open_files(),
              static_cast<std::ptrdiff_t>(idle.size() + ServerLimits::kConnections + 50));
  }
  files.rlim_cur = before;
  ::setrlimit(RLIMIT_NOFILE, &files);
  std::string answer;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!answer.starts_with("HTTP/1.1 200") && std::chrono::steady_clock::now() < patience)
    answer = get("/api/start");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
}

TEST_F(Serving, unknown_methods_and_paths_are_refused) {
  const std::string good = "Host: " + host() + "\r\n" + token_line();
  EXPECT_THAT(ask("DELETE /api/start", good), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(get("/api/nothing"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask("complete nonsense", ""), ::testing::Not(StartsWith("HTTP/1.1 200")));
}

// A server in a process of its own, which can be killed. Its port and token come by a pipe.
class Killable {
 public:
  explicit Killable(const std::string& decisions) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ReviewOptions options;
      options.decisions = decisions;
      options.batch = 3;
      Review review(small_material(20), options);
      const ReviewServer server(review, {});
      const std::string told = std::to_string(server.port()) + " " + server.token() + "\n";
      if (::write(ends[1], told.data(), told.size()) < 0) ::_exit(1);
      while (true) ::pause();
    }
    ::close(ends[1]);
    std::string told;
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) told += c;
    ::close(ends[0]);
    port = static_cast<std::uint16_t>(std::stoi(told));
    token = told.substr(told.find(' ') + 1);
  }
  ~Killable() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  // Whether the server said that it has the decision.
  bool decide(const std::string& nonce, int row, const std::string& answer) const {
    const std::string body = json({{"reviewer", "Ann"},
                                   {"nonce", nonce},
                                   {"row", row},
                                   {"choices", {{{"label", 0}, {"answer", answer}}}}})
                                 .dump();
    const Wire wire(port);
    wire.say("POST /api/decide HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:" +
             std::to_string(port) + "\r\nX-Sieve-Token: " + token +
             "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return wire.hear().starts_with("HTTP/1.1 200");
  }

  std::uint16_t port = 0;
  std::string token;

 private:
  pid_t pid_ = -1;
};

TEST(KilledServer, loses_no_decision_that_it_acknowledged) {
  const TempFolder folder;
  const std::string path = folder / "decisions.db";
  const Dataset data = small_material(20).data;
  std::mt19937 random(7);
  std::map<std::string, bool> acknowledged;  // nonce -> whether it was
  int sent = 0;
  for (int kill = 0; kill < 50; ++kill) {
    Killable server(path);
    std::thread killer([&, wait = std::uniform_int_distribution(0, 60000)(random)] {
      std::this_thread::sleep_for(std::chrono::microseconds(wait));
      server.kill();
    });
    bool heard = true;
    while (heard) {
      const std::string nonce = "decision-" + std::to_string(sent++);
      heard = server.decide(nonce, sent % 20, sent % 3 == 0 ? "yes" : "no");
      acknowledged[nonce] = heard;
    }
    killer.join();
  }
  const Decisions read = read_decision_log(path, data);
  std::map<std::string, int> found;
  for (const DecisionLine& line : read.lines) ++found[line.nonce];
  std::size_t kept = 0;
  for (const auto& [nonce, heard] : acknowledged) {
    kept += heard;
    EXPECT_LE(found[nonce], 1) << nonce;
    EXPECT_GE(found[nonce], heard ? 1 : 0) << nonce;
  }
  EXPECT_GT(kept, 20U) << "hardly anything was decided between the kills";
}

}  // namespace
}  // namespace sieve::test
