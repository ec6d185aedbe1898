import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { makeKey } from "../proxy/support/proxy-process.ts";
import { EVERY_KIND_AS_OF_MS } from "./every-kind-set.ts";
import { ENDLESS, startLoggingTo, stateOf } from "./proxy-process.ts";
import { changedSet, publishOn } from "./staged-root.ts";

const PUBLISH_EVERY_MS = 5_000;
const LANES = 8;
const STEP_MS = 150 * 86_400_000;

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / (values.length || 1);

/**
 * Publishes every five seconds for `minutes` while the proxy answers without a pause; says what its descriptors and memory
 * were in the second and in the last third. Linux only: it reads /proc.
 */
export async function soak(minutes: number) {
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
  const places = { home: join(home, "proxy"), snapshots: root, optouts: join(home, "optouts.db") };
  const key = await makeKey(places, "--account", "soak", "--tier", "enterprise", ...ENDLESS);
  // Its log, a line for each request, is nobody's business here.
  const { address, pid, stop } = await startLoggingTo("/dev/null", places);
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
    const both = (key: "descriptors" | "rssMb") =>
      [mean(early.map((sample) => sample[key])), mean(late.map((sample) => sample[key]))] as const;
    return { versions, answers, notOk, descriptors: both("descriptors"), rssMb: both("rssMb") };
  } finally {
    isOver = true;
    await stop();
    rmSync(home, { recursive: true, force: true });
  }
}
