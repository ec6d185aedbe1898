import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { exchange } from "../proxy/support/exchange.ts";
import { faultsOf } from "../proxy/support/faults-of-answer.ts";
import { readAnswers, type WireAnswer } from "../proxy/support/read-answers.ts";
import { FIXTURE_ENTITY_ID, walletOf } from "../support/published-set.ts";
import { MUTATIONS, mutateBytes } from "./mutate-bytes.ts";
import { startAttackedProxy } from "./proxy-process.ts";
import { seededRandom } from "./seeded-random.ts";

/** What stands in fuzzed requests and nowhere else: the log must hold none of it. */
const CANARY = "canaryfuzz";

/** What a generator may put into its requests. */
interface FuzzWorld {
  readonly keys: readonly string[];
  readonly entityId: string;
  readonly wallet: string;
}

type Random = () => number;

const words = (text: string) => text.trim().split(/\s+/);
const METHODS = words("GET GET HEAD OPTIONS POST");
const ODD_METHODS = words("PUT TRACE QUERY CONNECT get BREW M-SEARCH PRI SOURCE DESCRIBE");
const ODD_VERSIONS = [
  ...words("HTTP/1.0 HTTP/2.0 HTTP/1.2 HTTP/0.9 http/1.1 RTSP/1.0 ICE/1.0"),
  "HTTP/1.1 ",
  "",
];
const PATHS = words(`
  /v1/daos /v1/daos/tidewater.example /v1/daos/tidewater.example/risk /v1/daos/tidewater.example/delegates
  /v1/daos/x/graph /v1/dgi /v1/dgi/history /v1/entities /v1/entities/ENTITY /healthz /readyz /v1 / * //v1/daos
  http://x/v1/dgi /v1/${CANARY}`);
const QUERIES = words(`
  limit=10 limit=100 limit=1e1 tier=T1 date=2026-03-30 date=2026-02-30 category=defi period=30d wallet=WALLET
  ${CANARY}=1 limit=10&limit=10 __proto__=1 = && a[]=1 x=%zz x=%00 x=%ff`);
const MORSELS = [
  ...words(`%2f %2e%2e%2f %00 %zz % %c0%af .. // \\ ; # ? ' "<> {} %F0%9F%92%A9 %u0041 ${CANARY}`),
  ...["\0", "\r", "\n", "\t", " ", "\x7f", "\x80\xff"],
];
const HEADERS = [
  "Accept-Encoding: br",
  "Accept-Encoding: gzip;q=0, *;q=1.5",
  "If-None-Match: *",
  'If-None-Match: "a", W/"b',
  `Origin: https://${CANARY}.example`,
  "Expect: 100-continue",
  "Expect: tea",
  "Upgrade: websocket\r\nConnection: Upgrade",
  "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings",
  "Connection: close",
  "Connection: keep-alive",
  "Keep-Alive: timeout=999",
  "Host: y",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: gzip, chunked",
  "Content-Length: 0",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: 99999999999999999999",
  "Range: bytes=0-1",
  `X-Forwarded-For: ${CANARY}`,
  `Cookie: ${CANARY}=1`,
  `X-Request-Id: ${CANARY}`,
  "X-HTTP-Method-Override: DELETE",
  " folded",
  "no colon",
  ": no name",
  "a\0b: c",
  "a: b\0c",
  "a: b\rc",
  `Authorization: Bearer ${CANARY}`,
];
const BODIES = [
  "hello",
  "5\r\nhello\r\n0\r\n\r\n",
  "0\r\n\r\n",
  "zz\r\n",
  '5;ext="1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n',
  "fffffffffffffffff\r\n",
  "GET /v1/dgi HTTP/1.1\r\nHost: x\r\n\r\n",
  `{"${CANARY}":1}`,
];

const pick = <Item>(items: readonly Item[], random: Random): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
};

/** Everything one caller sends before it closes its half: some requests, most of them spoilt, in one to three packets. */
function fuzzConnection(world: FuzzWorld, random: Random) {
  const requests = 1 + Math.floor(random() * random() * 12);
  const bytes = Buffer.concat(Array.from({ length: requests }, () => fuzzRequest(world, random)));
  const whole = random() < 0.1 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
  return { pieces: cutUp(whole, random), requests };
}

function fuzzRequest(world: FuzzWorld, random: Random): Buffer {
  const isPlain = random() < 0.4;
  const method = isPlain ? "GET" : pick(random() < 0.8 ? METHODS : ODD_METHODS, random);
  const version = isPlain || random() < 0.9 ? "HTTP/1.1" : pick(ODD_VERSIONS, random);
  const lines = [`${method} ${fuzzTarget(world, random)} ${version}`, "Host: x"];
  const key = fuzzKey(world, random);
  if (key !== undefined) lines.push(`${pick(["x-api-key", "X-API-Key"], random)}: ${key}`);
  if (random() < 0.02) lines.push(...Array<string>(Math.floor(random() * 200)).fill("a: b"));
  while (!isPlain && random() < 0.3)
    lines.splice(Math.floor(random() * (lines.length + 1)), 0, pick(HEADERS, random));
  if (random() < 0.03) lines.splice(1, 1);
  const text = `${lines.join("\r\n")}\r\n\r\n${!isPlain && random() < 0.08 ? pick(BODIES, random) : ""}`;
  const bytes = Buffer.from(text, "latin1");
  return random() < 0.08 ? mutateBytes(bytes, pick(MUTATIONS, random), random) : bytes;
}

function fuzzTarget({ entityId, wallet }: FuzzWorld, random: Random): string {
  let target = pick(PATHS, random);
  if (random() < 0.15) {
    const offset = Math.floor(random() * (target.length + 1));
    target = target.slice(0, offset) + pick(MORSELS, random) + target.slice(offset);
  }
  if (random() < 0.02) target += "a".repeat(Math.floor(random() * 9_000));
  if (random() < 0.5) target += `?${pick(QUERIES, random)}`;
  if (random() < 0.1) target += `&${pick(QUERIES, random)}`;
  return target.replace("ENTITY", entityId).replace("WALLET", wallet);
}

/** One of four carries a good key; the others none, one with a letter changed, two, or nonsense. */
function fuzzKey({ keys }: FuzzWorld, random: Random): string | undefined {
  const key = pick(keys, random);
  const kind = random();
  if (kind < 0.25) return key;
  if (kind < 0.5) return undefined;
  if (kind < 0.65) return `${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`;
  if (kind < 0.75) return `${key}\r\nx-api-key: ${key}`;
  return pick(
    ["", "   ", CANARY, `${key}, ${key}`, `gvk_live_${CANARY}`, "a".repeat(4_000), "\x80\xff"],
    random,
  );
}

function cutUp(bytes: Buffer, random: Random): readonly Buffer[] {
  if (random() < 0.7 || bytes.length < 3) return [bytes];
  const places = [random(), random()].map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
  const [first = 0, second = 0] = places;
  return [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
}

const LANES = 16;
/** After so much of the run a process has its size, and what it grows from then on is growth. */
const WARM_SHARE = 0.2;
const RSS_GROWTH_MAX_MB = 50;
const ALLOWED: ReadonlySet<number> = new Set([200, 204, 304, 400, 401, 403, 404, 405, 408, 429, 431]);
const WALLET = walletOf(0xfeed);

/**
 * Sends `count` or a few more seeded raw requests to a real proxy, and looks at every answer, its log and its memory. Each
 * line of `wrong` names the connection, which `seed` makes again; a connection that was cut off, with every answer whole,
 * is a reset.
 */
export async function fuzzRequests(count: number, seed: number) {
  const wrong: string[] = [];
  const proxy = await startAttackedProxy();
  const world: FuzzWorld = {
    keys: Object.values(proxy.keys),
    entityId: FIXTURE_ENTITY_ID,
    wallet: WALLET,
  };
  const secrets = world.keys.map((key) => key.slice(9, 40));
  let [connections, requests, answers, resets, warmRssMb] = [0, 0, 0, 0, 0];
  const byStatus = new Map<number, number>();
  const lane = async () => {
    while (requests < count) {
      const number = connections;
      connections += 1;
      const { pieces, requests: sent } = fuzzConnection(world, randomOf(seed, number));
      requests += sent;
      if (warmRssMb === 0 && requests > count * WARM_SHARE) warmRssMb = proxy.state().rssMb;
      const { bytes, end } = await exchange(proxy.port, pieces, { isHalfClosing: true });
      const all = Buffer.concat(pieces);
      const { answers: read, fault } = readAnswers(bytes, all.includes("HEAD ") ? "unknown" : []);
      if (end === "reset") resets += 1;
      answers += read.length;
      for (const { status } of read) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      const faults = [...(fault === undefined ? [] : [fault]), ...faultsOfConnection(read, all)];
      for (const fault of faults) {
        wrong.push(
          `connection ${number}: ${fault}; sent ${JSON.stringify(all.toString("latin1").slice(0, 2_000))}`,
        );
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
    const rssGrowthMb = proxy.state().rssMb - warmRssMb;
    if (rssGrowthMb > RSS_GROWTH_MAX_MB) wrong.push(`memory grew by ${rssGrowthMb.toFixed(0)} MB`);
    // The last lines of its log come now.
    await proxy.stop();
    const forbidden = [...secrets, FIXTURE_ENTITY_ID, WALLET, CANARY, "tidewater"];
    const logBytes = await searchLog(proxy.logPath, forbidden, wrong);
    return { connections, requests, answers, byStatus, resets, logBytes, rssGrowthMb, wrong };
  } finally {
    await proxy.stop();
    proxy.remove();
  }
}

/** A row of numbers of each connection's own, so that one can be made again without those before it. */
function randomOf(seed: number, connection: number): () => number {
  return seededRandom((seed ^ Math.imul(connection + 1, 0x9e3779b1)) >>> 0);
}

function faultsOfConnection(answers: readonly WireAnswer[], sent: Buffer): readonly string[] {
  const faults: string[] = [];
  answers.forEach((answer, index) => {
    const { status, headers, bytes } = answer;
    if (!ALLOWED.has(status)) faults.push(`status ${status}`);
    const isHead = bytes.length === 0 && headers["content-length"] !== "0";
    faults.push(...faultsOf(answer, isHead ? "HEAD" : undefined));
    const isLast = index === answers.length - 1;
    if (!isLast && headers["connection"] === "close") faults.push("an answer after the last one");
  });
  // Whoever sends anything but empty lines is told something.
  if (answers.length === 0 && /[^\r\n]/.test(sent.toString("latin1"))) faults.push("no answer at all");
  return faults;
}

/** Looks for words in a log, line by line; gives its length. */
async function searchLog(path: string, forbidden: readonly string[], wrong: string[]): Promise<number> {
  let bytes = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    bytes += line.length;
    for (const word of forbidden) if (line.includes(word)) wrong.push(`the log holds ${word.slice(0, 6)}…`);
  }
  return bytes;
}
