import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { startChild } from "./child.ts";
import { everyKindSet } from "./every-kind-set.ts";
import { FAULT_CODES, type FaultCode } from "./faulty-disk.ts";
import { fillRoot, LATE_MS, wrongAfterNextRun, wrongIn } from "./staged-root.ts";

/**
 * The calls to the kernel that publishing is made of. `write` is not among them: Node wakes its own threads by it, and
 * ends itself when that fails. Failing writes are met by the shim and by the disk that is really full.
 */
export const SYSTEM_CALLS = [
  "openat",
  "fsync",
  "rename",
  "link",
  "mkdir",
  "getdents64",
  "unlink,rmdir,unlinkat",
] as const;

/** What failing system calls of a real publisher came to. */
export interface StraceTally {
  readonly faults: number;
  readonly refused: number;
  readonly byCall: ReadonlyMap<string, number>;
  readonly broken: readonly string[];
}

/** Whether strace is here and may look into a process of ours. */
export function canStrace(): boolean {
  return spawnSync("strace", ["-e", "trace=none", "true"]).status === 0;
}

interface Case {
  readonly calls: string;
  readonly nth: number;
  readonly code: FaultCode;
}

/** A refusal in plain words, or success: a failed link is a copy, a failed clearing of old versions a warning. */
function isPlain(said: string): boolean {
  return /^(published \d+|PUBLISH_FAILED .*|SNAPSHOT_INVALID .* cannot be read \(\w+\).*|PUBLISH_LOCKED .*)$/.test(
    said,
  );
}

async function surviveOne(base: string, entry: string, setPath: string, { calls, nth, code }: Case) {
  const home = mkdtempSync(join(HOME, "govdata-strace-"));
  const [root, log] = [join(home, "published"), join(home, "log")];
  cpSync(base, root, { recursive: true });
  const before = readPointer(root).sequence;
  const child = startChild([entry, root, setPath], ["env", "UV_THREADPOOL_SIZE=1"]);
  try {
    await child.nextLine();
    const inject = `inject=${calls}:error=${code}:when=${nth}`;
    const words = [
      "-f",
      "-qq",
      "-p",
      String(child.process.pid),
      "-o",
      log,
      "-e",
      `trace=${calls}`,
      "-e",
      inject,
    ];
    const tracer = spawn("strace", words);
    const tracerEnded = new Promise((resolve) => tracer.once("close", resolve));
    const status = () => readFileSync(`/proc/${child.process.pid}/status`, "utf8");
    while (!existsSync(log) || /TracerPid:\t0\n/.test(status())) await sleep(5);
    child.say(`1 ${LATE_MS} 1000`);
    const said = await child.nextLine().catch((error: unknown) => `it ends: ${String(error)}`);
    child.process.kill("SIGKILL");
    await Promise.all([child.ended, tracerEnded]);
    if (!readFileSync(log, "utf8").includes("(INJECTED)")) return undefined;
    const isPublished = said.startsWith("published");
    const found = readPointer(root).sequence;
    const isMoved = found === before + 1;
    const wrong = [
      ...(isPlain(said) && !said.includes(HOME) ? [] : [said]),
      // The last sync may fail after the rename: then the new version is seen, and reported as not yet durable.
      ...(isMoved === isPublished || /readers already see it/.test(said)
        ? []
        : [`${said}, but the pointer is at ${found}`]),
      ...(await wrongIn(root)),
      ...(await wrongAfterNextRun(root)),
    ];
    return { isPublished, wrong: wrong.map((line) => `${calls} ${nth} ${code}: ${line}`) };
  } finally {
    child.process.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  }
}

/** Lets the n-th system call of each kind fail in a real publisher, for every n until a run passes untouched; the codes take turns unless `codesOf` names more. */
export async function runStraceCampaign(
  codesOf: (nth: number) => readonly FaultCode[] = (nth) => FAULT_CODES.slice(nth % 4, (nth % 4) + 1),
): Promise<StraceTally> {
  const home = mkdtempSync(join(HOME, "govdata-strace-base-"));
  const [base, setPath] = [join(home, "published"), join(home, "set.json")];
  const copy = compileCopy(join(import.meta.dirname, "publisher-process.ts"));
  const byCall = new Map<string, number>();
  const broken: string[] = [];
  let [faults, refused] = [0, 0];
  try {
    await fillRoot(base);
    writeFileSync(setPath, JSON.stringify(everyKindSet()));
    for (const calls of SYSTEM_CALLS) {
      for (let nth = 1, isReached = true; isReached; nth += 1) {
        for (const code of codesOf(nth)) {
          const outcome = await surviveOne(base, copy, setPath, { calls, nth, code });
          isReached = outcome !== undefined;
          if (outcome === undefined) break;
          faults += 1;
          if (!outcome.isPublished) refused += 1;
          broken.push(...outcome.wrong);
          byCall.set(calls, nth);
          process.stderr.write(`${calls} ${nth} ${code}: ${outcome.isPublished ? "published" : "refused"}\n`);
        }
      }
    }
    return { faults, refused, byCall, broken };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
