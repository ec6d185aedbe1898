import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    // The default leaves a core idle, which on two cores is half of them.
    maxWorkers: "100%",
    // Loading the sources anew for each of some three hundred files took half of the time; no test mocks a module.
    isolate: false,
    globalSetup: "./test/support/run-folder.ts",
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
