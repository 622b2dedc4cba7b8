// One pass: loss and gradient over all ordered pairs. Sweep grows as N log N, histogram as N; the counter
// `gradient_error` is the distance of its gradient from the exact one in the 2-norm, relative.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <functional>

#include "core/optimize/pair_sgd.hpp"
#include "problem.hpp"

namespace xofm::bench {
namespace {

void run_pass(benchmark::State& state, LossForm form) {
  Problem& p = problem(static_cast<std::size_t>(state.range(0)));
  std::vector<double> gradient(p.point.size());
  p.objective.set_form(form);
  for (auto _ : state) benchmark::DoNotOptimize(p.objective(p.point, gradient));
  state.SetComplexityN(state.range(0));
  if (form == LossForm::histogram) {
    std::vector<double> exact(gradient.size());
    p.objective.set_form(LossForm::sweep);
    p.objective(p.point, exact);
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      difference += (gradient[i] - exact[i]) * (gradient[i] - exact[i]);
      size += exact[i] * exact[i];
    }
    state.counters["gradient_error"] = std::sqrt(difference / size);
  }
}

void pass_sweep(benchmark::State& state) { run_pass(state, LossForm::sweep); }
void pass_histogram(benchmark::State& state) { run_pass(state, LossForm::histogram); }

BENCHMARK(pass_sweep)
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Complexity(benchmark::oNLogN);
BENCHMARK(pass_histogram)
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Complexity(benchmark::oN);

// An epoch of the paper's Algorithm 1 (one step per ordered pair) at N = 10^4, in passes of the sweep.
void epoch_algorithm_1(benchmark::State& state) {
  Problem& p = problem(10'000);
  std::vector<double> gradient(p.point.size());
  p.objective.set_form(LossForm::sweep);
  const auto coordinates = static_cast<std::ptrdiff_t>(p.encoder.coordinate_count());
  const Parameters start{{p.point.begin(), p.point.begin() + coordinates},
                         p.options.recipe().factor_count,
                         {p.point.begin() + coordinates, p.point.end()}};
  const detail::SgdProblem sgd{p.encoder,     p.rows,
                               p.data.labels, {},
                               p.loss,        {p.options.recipe().increment_penalty, p.options.recipe().factor_penalty},
                               p.constraints};
  using Clock = std::chrono::steady_clock;
  double epoch_seconds = 0;
  for (auto _ : state) {
    const auto begin = Clock::now();
    benchmark::DoNotOptimize(detail::minimize_sgd(sgd, start, {}, 1, std::ref(p.objective)));
    epoch_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }
  constexpr int passes = 50;
  const auto begin = Clock::now();
  for (int i = 0; i < passes; ++i) benchmark::DoNotOptimize(p.objective(p.point, gradient));
  const double pass_seconds = std::chrono::duration<double>(Clock::now() - begin).count() / passes;
  state.counters["in_passes"] = epoch_seconds / static_cast<double>(state.iterations()) / pass_seconds;
}
BENCHMARK(epoch_algorithm_1)->Iterations(1)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace xofm::bench
