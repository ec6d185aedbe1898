import { setTimeout } from "node:timers/promises";
import { findPackageDirectory } from "../../snapshots/base/package.ts";
import { runProgram } from "./program.ts";
import { EXIT } from "./terminal/exit-codes.ts";
import { wantsColour } from "./terminal/terminal.ts";

/** Finds the package, with its registry and the report's style; exits without it. */
function packageDirectory(): string {
  const directory = findPackageDirectory();
  if (directory !== undefined) return directory;
  process.stderr.write(
    "error: there is no package.json of govdata above this program, so its package is incomplete\n" +
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
