#!/usr/bin/env node
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runProgram } from "./program.ts";
import { EXIT } from "./terminal/exit-codes.ts";

/** The nearest folder above with a package.json, also from `dist/`; `undefined` if there is none. */
export function packageDirectoryAbove(folder: string): string | undefined {
  if (existsSync(join(folder, "package.json"))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : packageDirectoryAbove(above);
}

/** Whether to colour errors: only on a terminal, and not with `NO_COLOR` or `--no-color`. */
export function wantsColour(input: {
  readonly isTerminal: boolean;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}): boolean {
  const isRefused = (input.environment["NO_COLOR"] ?? "") !== "" || input.argv.includes("--no-color");
  return input.isTerminal && !isRefused;
}

/** Finds the package, with its registry, migrations and the report's style; exits without it. */
function packageDirectory(): string {
  const found = packageDirectoryAbove(dirname(fileURLToPath(import.meta.url)));
  if (found !== undefined) return found;
  process.stderr.write(
    "error: there is no package.json above this program, so its package is incomplete\n" +
      "Install the whole package again: dist/ alone does not work.\n",
  );
  process.exit(EXIT.failed);
}

// Otherwise the S3 client warns on Node 20 that a later version needs Node 22; ours is pinned.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

// A run can be killed at any time: transactions roll back, and the next run deletes staging files.
process.once("SIGINT", () => {
  process.stderr.write(
    "\ninterrupted; the published version is intact, and every DAO fetched so far is kept\n",
  );
  process.exit(EXIT.interrupted);
});
// A reader such as `head` may close our output; that is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed);
});
// If nobody reads the progress any more, continue without it.
process.stderr.on("error", () => {});

process.exitCode = await runProgram(process.argv.slice(2), {
  packageDirectory: packageDirectory(),
  nowMs: () => Date.now(),
  pause: (waitMs) => setTimeout(waitMs),
  processorMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  peakMemoryBytes: () => process.resourceUsage().maxRSS * 1024,
  environment: process.env,
  terminal: {
    out: (data) => void process.stdout.write(data),
    err: (text) => void process.stderr.write(text),
    columns: process.stdout.isTTY === true ? process.stdout.columns : undefined,
    isErrTerminal: process.stderr.isTTY === true,
    hasColour: wantsColour({
      isTerminal: process.stderr.isTTY === true,
      argv: process.argv,
      environment: process.env,
    }),
  },
});
