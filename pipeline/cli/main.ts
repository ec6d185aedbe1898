#!/usr/bin/env node
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runProgram } from "./program.ts";
import { EXIT } from "./terminal/exit-codes.ts";

/** The folder of the package that `folder` lies in, from source as from `dist/`; undefined where none lies above it. */
export function packageDirectoryAbove(folder: string): string | undefined {
  if (existsSync(join(folder, "package.json"))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : packageDirectoryAbove(above);
}

/** Whether errors are coloured: on a terminal only, and not where `NO_COLOR` is set to anything or `--no-color` was said. */
export function wantsColour(input: {
  readonly isTerminal: boolean;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}): boolean {
  const isRefused = (input.environment["NO_COLOR"] ?? "") !== "" || input.argv.includes("--no-color");
  return input.isTerminal && !isRefused;
}

/** The registry, the migrations and the style of the report lie in the package: without it nothing works. */
function packageDirectory(): string {
  const found = packageDirectoryAbove(dirname(fileURLToPath(import.meta.url)));
  if (found !== undefined) return found;
  process.stderr.write(
    "error: no package.json lies above this program, so its package is not whole\n" +
      "Install the whole package again: dist/ alone does not work.\n",
  );
  process.exit(EXIT.failed);
}

// The client of S3 would tell each operator on Node 20 that a later version of it wants Node 22; ours is pinned.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

// A run holds no state that a kill could break: transactions roll back and staging is swept by the next run.
process.once("SIGINT", () => {
  process.stderr.write("\ninterrupted; what is published is whole, and every DAO fetched so far is kept\n");
  process.exit(EXIT.interrupted);
});
// A reader like `head` may close our output; that is its right and no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed);
});
// Nobody reads the progress any more: no reason to break off what it is about.
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
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    ...(process.stdout.isTTY === true
      ? {}
      : { outBytes: (bytes: Uint8Array) => void process.stdout.write(bytes) }),
    columns: process.stdout.isTTY === true ? process.stdout.columns : undefined,
    isErrTerminal: process.stderr.isTTY === true,
    hasColour: wantsColour({
      isTerminal: process.stderr.isTTY === true,
      argv: process.argv,
      environment: process.env,
    }),
  },
});
