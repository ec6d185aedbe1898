import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BASE62_DIGITS } from "../../proxy/keys/base62.ts";
import { makeKey } from "../../proxy/keys/key-format.ts";
import { createKeyLookup } from "../../proxy/keys/key-lookup.ts";
import { createKey, revokeKey } from "../../proxy/keys/key-ring.ts";
import { openKeyStore } from "../../proxy/keys/key-store.ts";

/**
 * Can a clock tell a key that was revoked, mistyped or malformed from one that nobody ever had? Asks the lookup for both
 * in turn, the order of each pair by chance, with and without what it remembers, and reports Welch's t: below about 4.5
 * nothing is to be seen. The last row of each block compares unknown keys with unknown ones.
 */
const PAIRS = Number(process.argv[2] ?? 50_000);
const KEYS = 1000;
const PEPPER = "a pepper for a bench, of 32 characters or more";

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "govdata-key-timing-"));
const store = openKeyStore(join(folder, "keys.db"), 1000);
let clockMs = Date.now();
const revoked = store.atomically(() =>
  Array.from({ length: KEYS }, () => {
    const { key, record } = createKey(
      { store, pepper: PEPPER, nowMs: clockMs, randomBytes },
      { account: "bench", terms: { tier: "pro" }, environment: "live", expiresAtMs: null },
    );
    return { key, keyId: record.keyId };
  }),
);
for (const { keyId } of revoked) revokeKey(store, keyId, clockMs);

const otherDigit = (digit: string) => BASE62_DIGITS[(BASE62_DIGITS.indexOf(digit) + 1) % 62] ?? "0";
const newKey = () => makeKey("live", randomBytes);
/** Each pair asks for keys of its own: of two fixed sets one may lie better in the index. */
const KINDS: Readonly<Record<string, () => string>> = {
  revoked: () => revoked[Math.floor(Math.random() * KEYS)]?.key ?? "",
  // Of the same length: a longer text takes longer to digest, and its sender knows how long it is.
  malformed: () => newKey().replace(/^(.{20})./, "$1-"),
  "bad checksum": () => newKey().replace(/.$/, otherDigit),
  "unknown too": newKey,
};

function compare(title: string, make: () => string, isRemembered: boolean): string {
  const lookup = createKeyLookup({ store, pepper: PEPPER, nowMs: () => clockMs });
  const ask = (key: string): number => {
    const startedNs = process.hrtime.bigint();
    const holder = lookup(key);
    const tookNs = Number(process.hrtime.bigint() - startedNs);
    if (holder !== undefined) throw new Error("a key opened that must not");
    return tookNs;
  };
  const [others, unknowns]: [number[], number[]] = [[], []];
  for (let pair = -5_000; pair < PAIRS; pair += 1) {
    const [other, never] = [make(), newKey()];
    // Past what it remembers, or everything known to it before the clock starts.
    if (!isRemembered) clockMs += 1000;
    else for (const key of [other, never]) lookup(key);
    const isFirst = Math.random() < 0.5;
    const early = ask(isFirst ? other : never);
    const late = ask(isFirst ? never : other);
    if (pair < 0) continue;
    others.push(isFirst ? early : late);
    unknowns.push(isFirst ? late : early);
  }
  const { t, meanNs, otherNs } = welch(others, unknowns);
  return `${isRemembered ? "remembered" : "asked anew"}  ${title.padEnd(12)} ${meanNs.toFixed(0)} ns  unknown ${otherNs.toFixed(0)} ns  t ${t.toFixed(2)}\n`;
}

/** Welch's t of two samples, after the slowest tenth of both together (collections, other programs) is left out. */
function welch(one: readonly number[], other: readonly number[]) {
  const limit =
    [...one, ...other].sort((a, b) => a - b)[Math.floor(1.8 * one.length)] ?? Number.POSITIVE_INFINITY;
  const of = (all: readonly number[]) => {
    const sample = all.filter((each) => each <= limit);
    const mean = sample.reduce((sum, each) => sum + each, 0) / sample.length;
    const variance = sample.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (sample.length - 1);
    return { mean, error: variance / sample.length };
  };
  const [a, b] = [of(one), of(other)];
  return { t: (a.mean - b.mean) / Math.sqrt(a.error + b.error), meanNs: a.mean, otherNs: b.mean };
}

process.stdout.write(`${PAIRS} pairs each\n`);
for (const isRemembered of [false, true]) {
  for (const [title, make] of Object.entries(KINDS)) process.stdout.write(compare(title, make, isRemembered));
}
store.close();
rmSync(folder, { recursive: true, force: true });
