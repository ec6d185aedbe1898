import { defineConfig } from "vitest/config";
import { COMMON, SLOW_TESTS } from "./.vitest.config.ts";

export default defineConfig({
  test: { ...COMMON, reporters: [...COMMON.reporters], include: SLOW_TESTS },
});
