import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { runProxyCommand } from "../support/run-in-process.ts";
import { EVERY_KIND_AS_OF_MS } from "./every-kind-set.ts";
import { changedSet, publishOn } from "./staged-root.ts";

/** What a proxy was like while versions went by under load. */
export interface SoakTally {
  readonly versions: number;
  readonly answers: number;
  readonly notOk: number;
  readonly descriptors: readonly [early: number, late: number];
  readonly rssMb: readonly [early: number, late: number];
}

const PROXY = fileURLToPath(new URL("../../proxy/main.ts", import.meta.url));
const PUBLISH_EVERY_MS = 5_000;
const LANES = 8;
const STEP_MS = 150 * 86_400_000;

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / (values.length || 1);

/** Starts the proxy from source and gives its address. */
async function startProxy(args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [compileCopy(PROXY), "serve", "--host", "127.0.0.1", "--port", "0", ...args],
    {
      // Its log, a line for each request, is nobody's business here.
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, NO_COLOR: "1", GOVDATA_PROXY_DRAIN_SECONDS: "0" },
    },
  );
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += String(chunk);
      const url = /^listening on (http:\S+)\n/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once("exit", (code) => reject(new Error(`the proxy ended with ${code}`)));
  });
  return { child, address };
}

function stateOf(pid: number): { descriptors: number; rssMb: number } {
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, rssMb: Number(rss) / 1024 };
}

/** Publishes every five seconds for `minutes` while the proxy answers without a pause. Linux only: it reads /proc. */
export async function soak(minutes: number): Promise<SoakTally> {
  const home = mkdtempSync(join(tmpdir(), "govdata-soak-"));
  const root = join(home, "published");
  const disk = createSnapshotDisk(root);
  let versions = 0;
  const publishNext = async () => {
    versions += 1;
    const details = changedSet().details.map((detail) => ({ ...detail, data_completeness: versions % 100 }));
    await publishOn(disk, EVERY_KIND_AS_OF_MS + versions * STEP_MS, { ...changedSet(), details });
  };
  await publishNext();
  const args = ["--home", join(home, "proxy"), "--snapshots", root, "--optouts", join(home, "optouts.db")];
  const made = await runProxyCommand([
    ...["key", "create", "--account", "soak", "--tier", "enterprise", "--daily-limit", "100000000"],
    ...args,
  ]);
  const key = made.stdout.trim();
  const { child, address } = await startProxy(args);
  const pid = child.pid ?? 0;
  const states: ReturnType<typeof stateOf>[] = [];
  let [answers, notOk, isOver] = [0, 0, false];
  const paths = [
    "/v1/daos",
    "/v1/daos/varied.eth",
    "/v1/daos/varied.eth/delegates?limit=100",
    "/v1/dgi",
    "/v1/dgi/history?period=365d",
  ];
  const lane = async (first: number) => {
    for (let turn = first; !isOver; turn += 1) {
      const answer = await fetch(`${address}${paths[turn % paths.length]}`, {
        headers: { "x-api-key": key },
      });
      await answer.arrayBuffer();
      answers += 1;
      if (!answer.ok) notOk += 1;
    }
  };
  try {
    const lanes = Array.from({ length: LANES }, (_, n) => lane(n));
    const turns = Math.ceil((minutes * 60_000) / PUBLISH_EVERY_MS);
    for (let turn = 0; turn < turns; turn += 1) {
      await sleep(PUBLISH_EVERY_MS);
      await publishNext();
      states.push(stateOf(pid));
    }
    isOver = true;
    await Promise.all(lanes);
    const third = Math.ceil(states.length / 3);
    const [early, late] = [states.slice(third, 2 * third), states.slice(2 * third)];
    return {
      versions,
      answers,
      notOk,
      descriptors: [
        mean(early.map((sample) => sample.descriptors)),
        mean(late.map((sample) => sample.descriptors)),
      ],
      rssMb: [mean(early.map((sample) => sample.rssMb)), mean(late.map((sample) => sample.rssMb))],
    };
  } finally {
    isOver = true;
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("close", resolve));
    rmSync(home, { recursive: true, force: true });
  }
}
