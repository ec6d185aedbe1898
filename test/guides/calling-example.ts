import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { ENVELOPES } from "../../snapshots/format/index.ts";

const { GOVDATA_URL = "https://api.example.org", GOVDATA_KEY = "" } = process.env;
const TRIES_MAX = 5;
/** 0 stands for no answer at all: a reset, or nothing within ten seconds. */
const RETRIED = new Set([0, 408, 500, 502, 503, 504]);
/** What was answered last, by path. Entities come without an ETag, and so are never kept. */
const kept = new Map<string, { readonly etag: string; readonly text: string }>();

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds: number;
}

async function askOnce(path: string): Promise<Answer> {
  const known = kept.get(path);
  const headers = {
    "x-api-key": GOVDATA_KEY,
    ...(known === undefined ? {} : { "if-none-match": known.etag }),
  };
  try {
    const answer = await fetch(GOVDATA_URL + path, { headers, signal: AbortSignal.timeout(10_000) });
    if (answer.status === 304 && known !== undefined)
      return { status: 200, text: known.text, retryAfterSeconds: 0 };
    const text = await answer.text();
    const etag = answer.headers.get("etag");
    if (answer.status === 200 && etag !== null) kept.set(path, { etag, text });
    return { status: answer.status, text, retryAfterSeconds: Number(answer.headers.get("retry-after") ?? 0) };
  } catch (error) {
    return { status: 0, text: String(error), retryAfterSeconds: 0 };
  }
}

/** One document, checked by its shape. It throws at once where asking again cannot help, as with 429 until midnight. */
async function ask<Shape extends z.ZodType>(path: string, shape: Shape): Promise<z.infer<Shape>> {
  for (let tries = 1; ; tries += 1) {
    const { status, text, retryAfterSeconds } = await askOnce(path);
    if (status === 200) return shape.parse(JSON.parse(text));
    if (!RETRIED.has(status) || tries === TRIES_MAX) throw new Error(`${path}: ${status} ${text}`);
    await sleep(1000 * (retryAfterSeconds + Math.random() * 2 ** tries));
  }
}

const { data: daos, meta } = await ask("/v1/daos", ENVELOPES.daos);
const again = await ask("/v1/daos", ENVELOPES.daos);
const lines = [
  `${meta.total} DAOs as of ${meta.as_of}, by method ${meta.methodology_version}`,
  ...daos.map(({ rank, name, gvs }) => `${rank}. ${name}: ${gvs}`),
  `asked again: ${again.data.length} DAOs, kept from before`,
];
process.stdout.write(`${lines.join("\n")}\n`);
