import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHttpClient } from "../../pipeline/sources/http/http-client.ts";
import { createSnapshotHubSource } from "../../pipeline/sources/hub/hub-source.ts";
import { openWarehouse } from "../../pipeline/warehouse/warehouse.ts";
import { dao } from "../pipeline/warehouse/sample-facts.ts";
import { NOW_MS, SPACE_ID } from "../support/fake-hub/sample-space.ts";
import { createLogBench } from "./log-decoding.ts";

// npx tsx test/bench/live-sources.ts: votes from a hub in a process of its own, over loopback and through the real
// door, into a real warehouse; and delegation logs decoded out of a node's answers that are in memory already. Each is
// held against JSON.parse of the same bytes, turn by turn; medians. The door's rate is lifted.

const PROPOSALS = 40;
const VOTES_EACH = 2_500;
const ROUNDS = 5;
const MIGRATIONS = fileURLToPath(new URL("../../pipeline/warehouse/migrations", import.meta.url));

async function startHub(): Promise<{ readonly url: string; stop(): void }> {
  const file = fileURLToPath(new URL("./hub-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, String(PROPOSALS), String(VOTES_EACH)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
    child.once("exit", () => reject(new Error("the hub's process ended")));
  });
  return { url, stop: () => void child.kill() };
}

function openDoor() {
  return createHttpClient({
    nowMs: Date.now,
    version: "0.0.0",
    settings: { requestsPerMinute: 1e9 },
  });
}

/** Seconds of one fetch of everything into a fresh warehouse. */
async function fetchVotes(url: string): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "live-sources-"));
  const http = openDoor();
  const warehouse = openWarehouse({ path: join(directory, "warehouse.db"), migrationsDirectory: MIGRATIONS });
  try {
    const source = createSnapshotHubSource({ http, url, pageSize: 1_000, nowMs: NOW_MS, isFull: false });
    const beganMs = performance.now();
    const attempt = { spaceId: SPACE_ID, sourceId: source.sourceId, fetchedAtMs: NOW_MS };
    const fetch = warehouse.beginSpaceFetch(attempt);
    await source.fetchSpace(dao(SPACE_ID), fetch);
    const record = fetch.commit();
    const seconds = (performance.now() - beganMs) / 1000;
    const isRight = record.votes === PROPOSALS * VOTES_EACH && Object.keys(record.rejected).length === 0;
    if (!isRight) throw new Error(`what arrived is not what was sent: ${JSON.stringify(record)}`);
    return seconds;
  } finally {
    warehouse.close();
    await http.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The bytes of every page of votes, as the adapter asks for them. */
async function takePages(url: string): Promise<readonly Buffer[]> {
  const pages: Buffer[] = [];
  const recording = createSnapshotHubSource({
    http: {
      async postJson({ body }) {
        const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
        const bytes = Buffer.from(await response.arrayBuffer());
        if ((body as { operationName: string }).operationName === "Votes") pages.push(bytes);
        return { status: response.status, headers: {}, body: JSON.parse(bytes.toString("utf8")) };
      },
      counters: () => ({ requests: 0, retries: 0, bytes: 0, rateLimited: 0 }),
      close: async () => undefined,
    },
    url,
    pageSize: 1_000,
    nowMs: NOW_MS,
    isFull: false,
  });
  const directory = mkdtempSync(join(tmpdir(), "live-sources-"));
  const warehouse = openWarehouse({ path: join(directory, "warehouse.db"), migrationsDirectory: MIGRATIONS });
  const attempt = { spaceId: SPACE_ID, sourceId: recording.sourceId, fetchedAtMs: NOW_MS };
  try {
    await recording.fetchSpace(dao(SPACE_ID), warehouse.beginSpaceFetch(attempt));
  } finally {
    warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return pages;
}

/** Seconds that parsing alone takes. */
function parseAlone(pages: readonly Buffer[], rowsOf: (value: unknown) => number, rows: number): number {
  const beganMs = performance.now();
  let seen = 0;
  for (const page of pages) seen += rowsOf(JSON.parse(page.toString("utf8")));
  const seconds = (performance.now() - beganMs) / 1000;
  if (seen !== rows) throw new Error(`${seen} rows were parsed, and there are ${rows}`);
  return seconds;
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const votesOf = (value: unknown) => (value as { data: { votes: unknown[] } }).data.votes.length;
const logsOf = (value: unknown) => (value as { result: unknown[] }).result.length;

function print(
  what: string,
  rows: number,
  bytes: number,
  taken: readonly number[],
  parsed: readonly number[],
) {
  const [ours, bare] = [median(taken), median(parsed)];
  const lines: readonly (readonly [string, string])[] = [
    [what, String(rows)],
    ["  megabytes of JSON", (bytes / 1e6).toFixed(1)],
    ["  seconds, median", ours.toFixed(2)],
    [`  ${what} per second`, Math.round(rows / ours).toString()],
    ["  JSON.parse alone, seconds", bare.toFixed(2)],
    ["  times JSON.parse", (ours / bare).toFixed(1)],
  ];
  for (const [name, value] of lines) process.stdout.write(`${name.padEnd(32)}${value}\n`);
}

async function main(): Promise<void> {
  const hub = await startHub();
  try {
    const pages = await takePages(hub.url);
    const logs = await createLogBench();
    const seconds = {
      votes: [] as number[],
      bareVotes: [] as number[],
      logs: [] as number[],
      bareLogs: [] as number[],
    };
    const votes = PROPOSALS * VOTES_EACH;
    for (let round = 0; round < ROUNDS; round += 1) {
      seconds.bareVotes.push(parseAlone(pages, votesOf, votes));
      seconds.votes.push(await fetchVotes(hub.url));
      seconds.bareLogs.push(parseAlone(logs.pages, logsOf, logs.logsAnswered));
      seconds.logs.push(await logs.decode());
    }
    const bytesOf = (buffers: readonly Buffer[]) =>
      buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    print("votes", votes, bytesOf(pages), seconds.votes, seconds.bareVotes);
    print("logs", logs.logs, bytesOf(logs.pages), seconds.logs, seconds.bareLogs);
  } finally {
    hub.stop();
  }
}

await main();
