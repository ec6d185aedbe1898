import { defineConfig } from "vitest/config";

// What judges the mutants of `npm run test:mutation`: the tests of the code that is mutated, without those that start
// processes or wait for the clock, as every mutant runs them anew.
export default defineConfig({
  test: {
    include: [
      "test/proxy/{access,fast-path,http,keys,quota,snapshot}/**/*.test.ts",
      "test/proxy/*.test.ts",
      "test/snapshots/optouts/**/*.test.ts",
    ],
    exclude: [
      "test/proxy/{cli,server,rolling-restarts,draining}.test.ts",
      "test/proxy/quota/quota-processes.test.ts",
    ],
    isolate: false,
    testTimeout: 10_000,
  },
});
