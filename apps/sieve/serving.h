#pragma once

#include <string>
#include <vector>

#include "labelsieve/review.h"
#include "verbs.h"

// Pages in the browser, for review and audit.
namespace sieve {

// Flags about the page and its server.
std::vector<Option> page_options();
// Of a certificate, a key, or guidelines.
std::string file_content(const std::string& path);
// The arguments that name the data, as a shell reads them.
std::string sources_text(const std::vector<std::string>& rows, const std::string& annotations);

ServerOptions server_options(const Arguments& arguments);
// --decisions, --reviewer and --media.
ReviewOptions served_options(const Arguments& arguments);

// Says what there is, opens the browser of a desktop, and waits for Ctrl-C. A StopRequests has to
// live meanwhile, from before the page was made.
void serve_until_stopped(const ReviewPage& page, const Arguments& arguments,
                         const std::string& welcome);
void serve_until_stopped(const std::string& link, const Arguments& arguments,
                         const std::string& welcome);

}  // namespace sieve
