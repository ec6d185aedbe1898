#!/usr/bin/env node
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fstatSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runCli } from "./cli.ts";
import type { FollowProcess } from "./follow/supervise.ts";
import { parseOpenFilesMax } from "./server/open-files.ts";
import type { Environment } from "./settings.ts";
import type { RemoteStatus } from "./snapshot/snapshot-source.ts";

/** Far above any key; the rest of a large file is not read. */
const LINE_CHARACTERS_MAX = 4_096;

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

// The client of S3 would tell each operator on Node 20 that a later version of it wants Node 22; ours is pinned.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

let isOutputLost = false;

// A reader that went away (`| head -1`) is no failure of ours; a full disk is one that must be reported.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" || isOutputLost) return;
  isOutputLost = true;
  process.exitCode = 1;
  process.stderr.write(`error: the output could not be written (${error.code ?? "unknown"})\n`);
});

// Nor is a log that was closed, or whose disk is full: serving goes on without it.
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

// Not `process.exit` for every command: what was written to a pipe must get out first. A server cut short has
// open sockets that would keep the process alive.
process.exitCode = isOutputLost && exitCode === 0 ? 1 : exitCode;
if (exitCode === 130) process.exit();
// A log whose reader hangs must not keep a process that has stopped.
const HANGING_LOG_MS = 2_000;
setTimeout(() => process.stdout.writableLength === 0 && process.exit(), HANGING_LOG_MS).unref();

/** This program once more. What it logs goes where ours does; what it reports comes over a channel between the two. */
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

/** In place of a closed stdout Node opens the null device. */
function isStdoutNowhere(): boolean {
  try {
    return fstatSync(process.stdout.fd).rdev === statSync("/dev/null").rdev;
  } catch {
    return false;
  }
}

/** Linux alone says it in a file; elsewhere nobody is asked. */
function openFilesMax(): number | undefined {
  try {
    return parseOpenFilesMax(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return undefined;
  }
}
