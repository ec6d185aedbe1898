import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";

const BINARY = new URL("../../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil", import.meta.url);

/**
 * Declares tests against a real node. They are skipped with a note if the optional package is not installed, but not in
 * CI, where a missing node is a failure.
 */
export function describeOnChain(name: string, tests: () => void): void {
  const isThere = existsSync(fileURLToPath(BINARY)) || process.env["CI"] === "true";
  if (isThere) describe(name, tests);
  else describe.skip(`${name} (skipped: anvil, an optional package, is not installed)`, tests);
}
