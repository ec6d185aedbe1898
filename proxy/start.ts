import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fstatSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Environment } from "../snapshots/base/command-line/settings.ts";
import { runCli } from "./cli.ts";
import type { FollowProcess } from "./follow/supervise.ts";
import { parseOpenFilesMax } from "./server/open-files.ts";
import type { RemoteStatus } from "./snapshot/snapshot-source.ts";

/** Far more than any key; the rest of a large file is not read. */
const LINE_CHARACTERS_MAX = 4_096;

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

// On Node 20 the S3 client would warn that its later versions need Node 22; ours is pinned.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

let isOutputLost = false;

// A reader that closed the pipe (`| head -1`) is not a failure; a full disk is one and must be reported.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" || isOutputLost) return;
  isOutputLost = true;
  process.exitCode = 1;
  process.stderr.write(`error: the output could not be written (${error.code ?? "unknown"})\n`);
});

// A closed log or one with a full disk is not a failure either: serving continues without it.
process.stderr.on("error", () => {});

const exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  nowMs: Date.now,
  monotonicMs: performance.now.bind(performance),
  randomBytes,
  onStopSignal: (stop) => {
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    return () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    };
  },
  deliver: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    }),
  readLine,
  isStdoutNowhere,
  openFilesMax,
  startFollower,
  ...(process.send === undefined
    ? {}
    : {
        parent: {
          report: (status) => void process.send?.(status),
          onGone: (end) => void process.on("disconnect", end),
        },
      }),
  onExit: (task) => {
    process.on("exit", task);
    return () => process.off("exit", task);
  },
});

// No `process.exit` for most commands, so that output to a pipe is written first. A server that was cut short needs it,
// since open sockets would keep the process alive.
process.exitCode = isOutputLost && exitCode === 0 ? 1 : exitCode;
if (exitCode === 130) process.exit();
// A hanging log reader must not keep a stopped process alive.
const HANGING_LOG_MS = 2_000;
setTimeout(() => process.stdout.writableLength === 0 && process.exit(), HANGING_LOG_MS).unref();

/** Starts this program again as a child. It logs to the same stream and reports over an IPC channel. */
function startFollower(words: readonly string[], environment: Environment): FollowProcess {
  const child = fork(fileURLToPath(import.meta.url), words, {
    env: environment,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  return {
    onStatus: (listener) => void child.on("message", (status) => listener(status as RemoteStatus)),
    ended: new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
    }),
    kill: (signal) => void child.kill(signal),
  };
}

async function readLine(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write("type or paste the key, then press Enter:\n");
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += String(chunk);
    if (text.includes("\n") || text.length > LINE_CHARACTERS_MAX) break;
  }
  return text.split("\n", 1)[0] ?? "";
}

/** Whether stdout is the null device, which Node also opens in place of a closed stdout. */
function isStdoutNowhere(): boolean {
  try {
    return fstatSync(process.stdout.fd).rdev === statSync("/dev/null").rdev;
  } catch {
    return false;
  }
}

/** Returns the limit from `/proc`, which only Linux has; elsewhere undefined. */
function openFilesMax(): number | undefined {
  try {
    return parseOpenFilesMax(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return undefined;
  }
}
