import { renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runProxyCommand } from "../support/run-in-process.ts";
import { openLane } from "./quota-lane.ts";
import { type QuotaStage, STAGE_PEPPER, type StagedProxy } from "./quota-stage.ts";
import { seededRandom } from "./seeded-random.ts";

/** A key, when it must still open, and from when on it must not. */
interface Life {
  readonly name: string;
  readonly key: string;
  opensUntilMs: number;
  endsAtMs: number;
}

const FOLLOWS_WITHIN_MS = 1000;
const GRACE_S = 1;
const ACCOUNT = "endings";
const CANARY = "gvk_live_CanaryCanaryCanaryCanaryCanaryCanaryCanary";

/**
 * F20: `keys` keys, each used without a pause on every one of `proxies` processes, are revoked, rotated with a grace or
 * expire at random moments. No answer is good a second after the end, none is refused before it, and what the processes
 * wrote meanwhile, also while the key store was away, holds no key and no pepper. Says how long after its end the last
 * good answer of any key arrived (below 0 if none came after it), and how many bytes were searched.
 */
export async function endKeysUnderLoad(
  stage: QuotaStage,
  options: { readonly proxies: number; readonly keys: number; readonly seed: number },
) {
  const random = seededRandom(options.seed);
  const tally = { keys: options.keys, answers: 0, latestMs: Number.NEGATIVE_INFINITY, searchedBytes: 0 };
  const broken: string[] = [];
  const proxies: StagedProxy[] = [];
  for (let n = 0; n < options.proxies; n += 1) proxies.push(await stage.start());
  stage.issueKey(ACCOUNT, 1_000_000_000);
  const lives: Life[] = [];
  const lanes: Promise<void>[] = [];
  let isOver = false;

  const runLane = async (life: Life, proxy: StagedProxy): Promise<void> => {
    const lane = openLane(proxy.address, life.key);
    while (!isOver) {
      const answer = await lane.ask();
      if (answer === undefined) {
        broken.push(`${life.name}: a connection ended without an answer`);
        break;
      }
      tally.answers += 1;
      const { status, sentAtMs, gotAtMs } = answer;
      if (status === 200) tally.latestMs = Math.max(tally.latestMs, gotAtMs - life.endsAtMs);
      if (status === 200 && sentAtMs > life.endsAtMs + FOLLOWS_WITHIN_MS) {
        broken.push(`${life.name}: opened ${sentAtMs - life.endsAtMs} ms after its end`);
      }
      // Looked at afterwards: while a command runs nobody knows yet whether it has happened.
      if (status === 401 && gotAtMs < life.opensUntilMs) broken.push(`${life.name}: refused before its end`);
      if (status !== 200 && status !== 401) broken.push(`${life.name}: ${status}`);
      await sleep(10);
    }
    lane.close();
  };
  const live = (name: string, key: string, endMs = Number.POSITIVE_INFINITY): Life => {
    const life = { name, key, opensUntilMs: endMs, endsAtMs: endMs };
    lives.push(life);
    lanes.push(...proxies.map((proxy) => runLane(life, proxy)));
    return life;
  };
  const command = async (...words: string[]) => {
    const end = await runProxyCommand(["--home", stage.home, "key", ...words]);
    if (end.code !== 0) throw new Error(`key ${words[0]} ends with ${end.code}: ${end.stderr}`);
    return end.stdout.trim();
  };
  const endOne = async (n: number): Promise<void> => {
    const way = n % 3;
    const untilMs = Math.ceil(Date.now() / 1000) * 1000 + 2000;
    if (way === 0) {
      const moment = new Date(untilMs).toISOString();
      live(`expiring ${n}`, await command("create", "--account", ACCOUNT, "--expires", moment), untilMs);
      return;
    }
    const { key, record } = stage.issueKey(ACCOUNT, 1_000_000_000);
    const life = live(`${way === 1 ? "revoked" : "rotated"} ${n}`, key);
    await sleep(300 + random() * 700);
    const graceMs = way === 1 ? 0 : GRACE_S * 1000;
    life.opensUntilMs = Date.now() + graceMs;
    const said = await command(
      ...(way === 1 ? ["revoke", record.keyId] : ["rotate", record.keyId, "--grace", `${GRACE_S}s`]),
    );
    life.endsAtMs = Date.now() + graceMs;
    if (way === 2) live(`successor ${n}`, said);
  };

  try {
    await Promise.all(Array.from({ length: options.keys }, (_, n) => endOne(n)));
    const ends = lives.map(({ endsAtMs }) => endsAtMs).filter(Number.isFinite);
    await sleep(Math.max(...ends) + FOLLOWS_WITHIN_MS + 500 - Date.now());
    isOver = true;
    await Promise.all(lanes);
    await provokeErrors(stage, proxies, lives);
    tally.searchedBytes = await searchSecrets(proxies, lives, broken);
  } finally {
    isOver = true;
    await Promise.all(proxies.map((proxy) => proxy.kill()));
  }
  return { ...tally, broken };
}

/** Lets the store fail with a good key in hand, and sends what is nearly a key. */
async function provokeErrors(
  stage: QuotaStage,
  proxies: readonly StagedProxy[],
  lives: readonly Life[],
): Promise<void> {
  const path = join(stage.home, "keys.db");
  for (const proxy of proxies) {
    for (const key of [CANARY, `${CANARY}, ${lives[0]?.key}`]) {
      const lane = openLane(proxy.address, key);
      await lane.ask();
      lane.close();
    }
    renameSync(path, `${path}-away`);
    const lane = openLane(proxy.address, lives[0]?.key ?? "");
    await sleep(600);
    await lane.ask();
    renameSync(`${path}-away`, path);
    lane.close();
  }
}

/** Searches all that left the processes but for answers; gives how much that was. */
async function searchSecrets(
  proxies: readonly StagedProxy[],
  lives: readonly Life[],
  broken: string[],
): Promise<number> {
  const secrets = [...lives.map(({ key }) => key), CANARY].map((key) => key.slice(9));
  let bytes = 0;
  for (const proxy of proxies) {
    const metrics = await (await fetch(`${proxy.adminAddress}/metrics`)).text();
    // It stops as it would when told to, so that all of its log comes out.
    proxy.child.process.stdin?.end();
    await proxy.child.ended;
    const all = proxy.log() + metrics;
    bytes += all.length;
    for (const secret of [...secrets, STAGE_PEPPER])
      if (all.includes(secret)) broken.push("a secret was written out");
    if (!proxy.log().includes("store failed")) broken.push("the store did not fail, so nothing was proven");
    if (!metrics.includes("govdata")) broken.push("these are no metrics");
  }
  return bytes;
}
