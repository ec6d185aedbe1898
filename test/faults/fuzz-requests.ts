import { exchange } from "../proxy/support/exchange.ts";
import { faultsOf } from "../proxy/support/faults-of-answer.ts";
import { readAnswers, type WireAnswer } from "../proxy/support/read-answers.ts";
import { FIXTURE_ENTITY_ID, walletOf } from "../support/published-set.ts";
import { CANARY, type FuzzWorld, fuzzConnection } from "./fuzz-connection.ts";
import { type StartProxy, startProxyProcess } from "./proxy-process.ts";
import { seededRandom } from "./seeded-random.ts";

/** What came of a run of fuzzed requests. */
export interface FuzzTally {
  readonly connections: number;
  readonly requests: number;
  readonly answers: number;
  readonly byStatus: ReadonlyMap<number, number>;
  /** Connections that were cut off, with every answer whole. */
  readonly resets: number;
  readonly logBytes: number;
  readonly rssGrowthMb: number;
  /** Everything that was wrong; each line names the connection, which `seed` makes again. */
  readonly wrong: readonly string[];
}

const LANES = 16;
/** After so much of the run a process has its size, and what it grows from then on is growth. */
const WARM_SHARE = 0.2;
const RSS_GROWTH_MAX_MB = 50;
const ALLOWED: ReadonlySet<number> = new Set([200, 204, 304, 400, 401, 403, 404, 405, 408, 429, 431]);
const WALLET = walletOf(0xfeed);

/** Sends `count` or a few more seeded raw requests to a real proxy, and looks at every answer, its log and its memory. */
export async function fuzzRequests(
  count: number,
  seed: number,
  start: StartProxy = startProxyProcess,
): Promise<FuzzTally> {
  const wrong: string[] = [];
  const watch = watchLog(wrong);
  const proxy = await start(watch.read);
  const world: FuzzWorld = {
    keys: Object.values(proxy.keys),
    entityId: FIXTURE_ENTITY_ID,
    wallet: WALLET,
  };
  watch.forbid([
    ...world.keys.map((key) => key.slice(9, 40)),
    FIXTURE_ENTITY_ID,
    WALLET,
    CANARY,
    "tidewater",
  ]);
  let [connections, requests, answers, resets, warmRssMb] = [0, 0, 0, 0, 0];
  const byStatus = new Map<number, number>();
  const lane = async () => {
    while (requests < count) {
      const number = connections;
      connections += 1;
      const { pieces, requests: sent } = fuzzConnection(world, randomOf(seed, number));
      requests += sent;
      if (warmRssMb === 0 && requests > count * WARM_SHARE) warmRssMb = proxy.rssMb();
      const { bytes, end } = await exchange(proxy.port, pieces, { isHalfClosing: true });
      const all = Buffer.concat(pieces);
      const { answers: read, fault } = readAnswers(bytes, all.includes("HEAD ") ? "unknown" : []);
      if (end === "reset") resets += 1;
      answers += read.length;
      for (const { status } of read) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      const faults = [...(fault === undefined ? [] : [fault]), ...faultsOfConnection(read, all)];
      for (const each of faults) {
        wrong.push(
          `connection ${number}: ${each}; sent ${JSON.stringify(all.toString("latin1").slice(0, 2_000))}`,
        );
      }
    }
  };
  let rssGrowthMb = 0;
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
    rssGrowthMb = proxy.rssMb() - warmRssMb;
  } finally {
    // The last lines of its log come now.
    await proxy.stop();
  }
  if (rssGrowthMb > RSS_GROWTH_MAX_MB) wrong.push(`memory grew by ${rssGrowthMb.toFixed(0)} MB`);
  return { connections, requests, answers, byStatus, resets, logBytes: watch.bytes(), rssGrowthMb, wrong };
}

/** A row of numbers of each connection's own, so that one can be made again without those before it. */
function randomOf(seed: number, connection: number): () => number {
  return seededRandom((seed ^ Math.imul(connection + 1, 0x9e3779b1)) >>> 0);
}

function faultsOfConnection(answers: readonly WireAnswer[], sent: Buffer): readonly string[] {
  const faults: string[] = [];
  answers.forEach((answer, at) => {
    const { status, headers, bytes } = answer;
    if (!ALLOWED.has(status)) faults.push(`status ${status}`);
    const isHead = bytes.length === 0 && headers["content-length"] !== "0";
    faults.push(...faultsOf(answer, isHead ? "HEAD" : undefined));
    const isLast = at === answers.length - 1;
    if (!isLast && headers["connection"] === "close") faults.push("an answer after the last one");
  });
  // Whoever sends anything but empty lines is told something.
  if (answers.length === 0 && /[^\r\n]/.test(sent.toString("latin1"))) faults.push("no answer at all");
  return faults;
}

/** Looks through a log as it comes, pieces that fall between two reads included. */
function watchLog(wrong: string[]) {
  let [forbidden, rest, bytes]: [readonly string[], string, number] = [[], "", 0];
  return {
    forbid: (words: readonly string[]) => {
      forbidden = words;
    },
    bytes: () => bytes,
    read: (text: string) => {
      bytes += text.length;
      const seen = rest + text;
      rest = seen.slice(seen.lastIndexOf("\n") + 1);
      for (const word of forbidden) if (seen.includes(word)) wrong.push(`the log holds ${word.slice(0, 6)}…`);
    },
  };
}
