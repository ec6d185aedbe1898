import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EIGHT_SPACES_REGISTRY, putEightSpaces } from "../support/fake-hub/eight-spaces.ts";
import { startFakeHub } from "../support/fake-hub/start-fake-hub.ts";
import { startProgram } from "../support/run-program.ts";

// npx tsx test/bench/first-fetch.ts [--rps N ...]: requests and wall time of `govdata fetch --source snapshot-hub` of
// the stand-in's eight spaces (1,480 proposals, 111,453 votes), the first time and again with nothing changed. What is
// given goes to `govdata fetch`; without it the pace is the default, a request a second.

async function fetchOnce(what: string, hub: Awaited<ReturnType<typeof startFakeHub>>, root: string) {
  hub.forget();
  const beganMs = performance.now();
  const places = ["--home", join(root, "home"), "--snapshots", join(root, "published")];
  const source = ["fetch", "--source", "snapshot-hub", "--from", hub.url, ...process.argv.slice(2)];
  const registry = ["--registry", join(root, "registry.yaml")];
  const { code, stderr } = await startProgram("govdata", [...places, ...registry, ...source]).ended;
  if (code !== 0) throw new Error(`the fetch ended with ${code}: ${stderr}`);
  const seconds = (performance.now() - beganMs) / 1000;
  const counts = new Map<string, number>();
  for (const { operation } of hub.arrived) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  const asked = Array.from(counts, ([operation, count]) => `${count} ${operation}`).join(", ");
  process.stdout.write(`${what}: ${hub.arrived.length} requests (${asked}), ${seconds.toFixed(1)} s\n`);
}

const hub = await startFakeHub();
const root = mkdtempSync(join(tmpdir(), "first-fetch-"));
try {
  const sizes = putEightSpaces(hub.store, 2_000);
  const votes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  process.stdout.write(`8 spaces, ${hub.store.proposals.size} proposals, ${votes} votes\n`);
  writeFileSync(join(root, "registry.yaml"), EIGHT_SPACES_REGISTRY);
  await fetchOnce("first fetch", hub, root);
  await fetchOnce("unchanged ", hub, root);
} finally {
  await hub.close();
  rmSync(root, { recursive: true, force: true });
}
