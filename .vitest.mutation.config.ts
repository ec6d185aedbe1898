import { defineConfig } from "vitest/config";

// What judges the mutants of one room; test/mutation/run.ts says which tests those are.
export default defineConfig({
  test: {
    include: (process.env["MUTATION_TESTS"] ?? "").split(" "),
    isolate: false,
    testTimeout: 60_000,
  },
});
