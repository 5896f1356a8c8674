#include "cli.h"
#include "experiment/store.h"

namespace sieve::test {
namespace {

// A store with known numbers: two variants, two methods and an oracle, three repeats.
class Compare : public Cli {
 protected:
  Compare() {
    add("image", "fill-3", "pml-gan", {0.20, 0.21, 0.22});
    add("image", "fill-3", "mlp", {0.30, 0.31, 0.33});
    add("image", "fill-3", "clean", {0.10, 0.11, 0.12});
    add("yeast", "fill-10", "pml-gan", {0.21, 0.22, 0.23});
    add("yeast", "fill-10", "mlp", {0.22, 0.22, 0.24});
    add("yeast", "fill-10", "clean", {0.10, 0.10});
    Store store(folder_ / "store.db", {"0123456789abcdef", "Known", {"hamming-loss"}}, tasks_);
    for (const Result& result : results_) store.add(result);
  }

  void add(const std::string& set, const std::string& noise, const std::string& method,
           const std::vector<double>& values) {
    for (std::size_t i = 0; i < 3; ++i) {
      tasks_.push_back({"", set, noise, method, method, "", i + 1, 0.2, 15});
      tasks_.back().key = task_key(tasks_.back());
      if (i >= values.size()) continue;
      Result result;
      result.task = tasks_.back();
      result.measures = {{"hamming-loss", values[i]}};
      result.train_rows = set == "image" ? 1600 : 80;
      result.test_rows = set == "image" ? 400 : 20;
      result.features = set == "image" ? 294 : 103;
      result.version = "0.2.0";
      result.finished = "2026-01-31T12:00:00Z";
      result.processor = "One, AVX2";
      result.fit_seconds = 1.5;
      results_.push_back(result);
    }
  }
  std::string shown(const std::string& form) const {
    const Ran ran = sieve({"compare", "store.db", "--to", form});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }

 private:
  std::vector<Task> tasks_;
  std::vector<Result> results_;
};

TEST_F(Compare, as_text) {
  EXPECT_EQ(shown("text"), R"(Known: 17 of 18 tasks done, 0 failed

Hamming loss ↓
data                         pml-gan          mlp  clean (oracle)
─────────────  ─────────────────────  ───────────  ──────────────
image fill-3   0.210±0.010 (0.202) *  0.313±0.015     0.110±0.010
yeast fill-10  0.220±0.010 (0.213) *  0.227±0.012        2/3 done

Summary over all cells
method          best or tied  mean rank  at least the paper's figure
──────────────  ────────────  ─────────  ───────────────────────────
pml-gan               2 of 2       1.00                       0 of 2
mlp                   0 of 2       2.00                            -
clean (oracle)             -          -                            -
best, tied and equal are to three decimals; oracles are out of competition

Win/tie/loss of pml-gan, paired t-test at 0.05
measure         mlp  clean (oracle)
────────────  ─────  ──────────────
Hamming loss  1/1/0           0/0/1
only 3 repeats: with fewer than 5, t-tests say little

Win/tie/loss of pml-gan, corrected t-test at 0.05
measure         mlp  clean (oracle)
────────────  ─────  ──────────────
Hamming loss  1/1/0           0/0/1
corrected for overlapping training sets (Nadeau and Bengio); only 3 repeats: with fewer than 5, t-tests say little

Hamming loss: mean ranks over 2 variants
method   mean rank
───────  ─────────
pml-gan      1.000
mlp          2.000
with fewer than 5 variants, a test of ranks says nothing

Where the columns come from
method   version  processor    finished  seconds per training
───────  ───────  ─────────  ──────────  ────────────────────
pml-gan    0.2.0  One, AVX2  2026-01-31                  1.50
mlp        0.2.0  One, AVX2  2026-01-31                  1.50
clean      0.2.0  One, AVX2  2026-01-31                  1.50
a column again: run its plan with --only METHOD

in parentheses: the figure of the PML-GAN paper
yeast here: 100 rows x 103 features; in the paper: 2417 x 103
not complete: yeast/fill-10/clean: 2 of 3 tasks
)");
}

TEST_F(Compare, as_markdown) {
  EXPECT_EQ(shown("markdown"), R"(# Known: 17 of 18 tasks done, 0 failed

## Hamming loss ↓

| data | pml-gan | mlp | clean (oracle) |
|---|---:|---:|---:|
| image fill-3 | **0.210±0.010 (0.202)** | 0.313±0.015 | 0.110±0.010 |
| yeast fill-10 | **0.220±0.010 (0.213)** | 0.227±0.012 | 2/3 done |

## Summary over all cells

| method | best or tied | mean rank | at least the paper's figure |
|---|---:|---:|---:|
| pml-gan | 2 of 2 | 1.00 | 0 of 2 |
| mlp | 0 of 2 | 2.00 | - |
| clean (oracle) | - | - | - |

best, tied and equal are to three decimals; oracles are out of competition

## Win/tie/loss of pml-gan, paired t-test at 0.05

| measure | mlp | clean (oracle) |
|---|---:|---:|
| Hamming loss | 1/1/0 | 0/0/1 |

only 3 repeats: with fewer than 5, t-tests say little

## Win/tie/loss of pml-gan, corrected t-test at 0.05

| measure | mlp | clean (oracle) |
|---|---:|---:|
| Hamming loss | 1/1/0 | 0/0/1 |

corrected for overlapping training sets (Nadeau and Bengio); only 3 repeats: with fewer than 5, t-tests say little

## Hamming loss: mean ranks over 2 variants

| method | mean rank |
|---|---:|
| pml-gan | 1.000 |
| mlp | 2.000 |

with fewer than 5 variants, a test of ranks says nothing

## Where the columns come from

| method | version | processor | finished | seconds per training |
|---|---:|---:|---:|---:|
| pml-gan | 0.2.0 | One, AVX2 | 2026-01-31 | 1.50 |
| mlp | 0.2.0 | One, AVX2 | 2026-01-31 | 1.50 |
| clean | 0.2.0 | One, AVX2 | 2026-01-31 | 1.50 |

a column again: run its plan with --only METHOD

- in parentheses: the figure of the PML-GAN paper
- yeast here: 100 rows x 103 features; in the paper: 2417 x 103
- not complete: yeast/fill-10/clean: 2 of 3 tasks
)");
}

TEST_F(Compare, as_latex) {
  EXPECT_EQ(shown("latex"), R"(% Known: 17 of 18 tasks done, 0 failed
% \usepackage{booktabs}

\begin{table}
\caption{Hamming loss $\downarrow$}
\begin{tabular}{lrrr}
\toprule
data & pml-gan & mlp & clean (oracle) \\
\midrule
image fill-3 & \textbf{0.210$\pm$0.010 (0.202)} & 0.313$\pm$0.015 & 0.110$\pm$0.010 \\
yeast fill-10 & \textbf{0.220$\pm$0.010 (0.213)} & 0.227$\pm$0.012 & 2/3 done \\
\bottomrule
\end{tabular}
\end{table}

\begin{table}
\caption{Summary over all cells}
\begin{tabular}{lrrr}
\toprule
method & best or tied & mean rank & at least the paper's figure \\
\midrule
pml-gan & 2 of 2 & 1.00 & 0 of 2 \\
mlp & 0 of 2 & 2.00 & - \\
clean (oracle) & - & - & - \\
\bottomrule
\end{tabular}
best, tied and equal are to three decimals; oracles are out of competition
\end{table}

\begin{table}
\caption{Win/tie/loss of pml-gan, paired t-test at 0.05}
\begin{tabular}{lrr}
\toprule
measure & mlp & clean (oracle) \\
\midrule
Hamming loss & 1/1/0 & 0/0/1 \\
\bottomrule
\end{tabular}
only 3 repeats: with fewer than 5, t-tests say little
\end{table}

\begin{table}
\caption{Win/tie/loss of pml-gan, corrected t-test at 0.05}
\begin{tabular}{lrr}
\toprule
measure & mlp & clean (oracle) \\
\midrule
Hamming loss & 1/1/0 & 0/0/1 \\
\bottomrule
\end{tabular}
corrected for overlapping training sets (Nadeau and Bengio); only 3 repeats: with fewer than 5, t-tests say little
\end{table}

\begin{table}
\caption{Hamming loss: mean ranks over 2 variants}
\begin{tabular}{lr}
\toprule
method & mean rank \\
\midrule
pml-gan & 1.000 \\
mlp & 2.000 \\
\bottomrule
\end{tabular}
with fewer than 5 variants, a test of ranks says nothing
\end{table}

\begin{table}
\caption{Where the columns come from}
\begin{tabular}{lrrrr}
\toprule
method & version & processor & finished & seconds per training \\
\midrule
pml-gan & 0.2.0 & One, AVX2 & 2026-01-31 & 1.50 \\
mlp & 0.2.0 & One, AVX2 & 2026-01-31 & 1.50 \\
clean & 0.2.0 & One, AVX2 & 2026-01-31 & 1.50 \\
\bottomrule
\end{tabular}
a column again: run its plan with --only METHOD
\end{table}

% in parentheses: the figure of the PML-GAN paper
% yeast here: 100 rows x 103 features; in the paper: 2417 x 103
% not complete: yeast/fill-10/clean: 2 of 3 tasks
)");
}

TEST_F(Compare, as_csv) {
  EXPECT_EQ(shown("csv"), R"(measure,data_set,noise,method,quantity,value
hamming-loss,image,fill-3,pml-gan,done,3
hamming-loss,image,fill-3,pml-gan,planned,3
hamming-loss,image,fill-3,pml-gan,mean,0.21
hamming-loss,image,fill-3,pml-gan,std,0.009999999999999995
hamming-loss,image,fill-3,pml-gan,rank,1
hamming-loss,image,fill-3,pml-gan,best,1
hamming-loss,image,fill-3,pml-gan,paper mean,0.202
hamming-loss,image,fill-3,pml-gan,paper std,0.006
hamming-loss,image,fill-3,mlp,done,3
hamming-loss,image,fill-3,mlp,planned,3
hamming-loss,image,fill-3,mlp,mean,0.3133333333333333
hamming-loss,image,fill-3,mlp,std,0.01527525231651948
hamming-loss,image,fill-3,mlp,rank,2
hamming-loss,image,fill-3,mlp,best,0
hamming-loss,image,fill-3,clean,done,3
hamming-loss,image,fill-3,clean,planned,3
hamming-loss,image,fill-3,clean,mean,0.11
hamming-loss,image,fill-3,clean,std,0.009999999999999995
hamming-loss,image,fill-3,clean,rank,
hamming-loss,image,fill-3,clean,best,0
hamming-loss,yeast,fill-10,pml-gan,done,3
hamming-loss,yeast,fill-10,pml-gan,planned,3
hamming-loss,yeast,fill-10,pml-gan,mean,0.22
hamming-loss,yeast,fill-10,pml-gan,std,0.010000000000000009
hamming-loss,yeast,fill-10,pml-gan,rank,1
hamming-loss,yeast,fill-10,pml-gan,best,1
hamming-loss,yeast,fill-10,pml-gan,paper mean,0.213
hamming-loss,yeast,fill-10,pml-gan,paper std,0.008
hamming-loss,yeast,fill-10,mlp,done,3
hamming-loss,yeast,fill-10,mlp,planned,3
hamming-loss,yeast,fill-10,mlp,mean,0.22666666666666666
hamming-loss,yeast,fill-10,mlp,std,0.011547005383792509
hamming-loss,yeast,fill-10,mlp,rank,2
hamming-loss,yeast,fill-10,mlp,best,0
hamming-loss,yeast,fill-10,clean,done,2
hamming-loss,yeast,fill-10,clean,planned,3
hamming-loss,yeast,fill-10,clean,mean,
hamming-loss,yeast,fill-10,clean,std,
hamming-loss,yeast,fill-10,clean,rank,
hamming-loss,yeast,fill-10,clean,best,0
hamming-loss,,,mlp,paired wins,1
hamming-loss,,,mlp,paired ties,1
hamming-loss,,,mlp,paired losses,0
hamming-loss,,,mlp,corrected wins,1
hamming-loss,,,mlp,corrected ties,1
hamming-loss,,,mlp,corrected losses,0
hamming-loss,,,clean,paired wins,0
hamming-loss,,,clean,paired ties,0
hamming-loss,,,clean,paired losses,1
hamming-loss,,,clean,corrected wins,0
hamming-loss,,,clean,corrected ties,0
hamming-loss,,,clean,corrected losses,1
hamming-loss,,,pml-gan,mean rank,1
hamming-loss,,,mlp,mean rank,2
hamming-loss,,,,friedman p,0
hamming-loss,,,,critical difference,1.385903824349678
)");
}

}  // namespace
}  // namespace sieve::test
