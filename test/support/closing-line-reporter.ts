import type { Reporter, TestModule } from "vitest/node";

/** The parts of a file of which no test ran, by their titles, which say what they lack. */
function skippedParts(module: TestModule): readonly string[] {
  const isSkipped = [...module.children.allTests()].every((test) => test.result().state === "skipped");
  return isSkipped ? [...module.children].map(({ name }) => name) : [];
}

/**
 * Prints what was wholly skipped and why, which the default reporter leaves out, and `N passed, N failed, N skipped` on the
 * last line, for readers of the end of a log.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    for (const module of modules)
      for (const part of skippedParts(module))
        process.stdout.write(`\nskipped ${module.relativeModuleId}: ${part}`);
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      if (module.state() === "failed" && tests.every((test) => test.result().state !== "failed"))
        counts.failed += 1;
      for (const test of tests) {
        const { state } = test.result();
        if (state === "pending") counts.skipped += 1;
        else counts[state] += 1;
      }
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
