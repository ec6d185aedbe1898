import type { Command } from "commander";
import { badOption, duration, momentOf, parseValue } from "../../snapshots/base/command-line/values.ts";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { tiersWithOwnLimit } from "../../snapshots/format/limits.ts";
import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import {
  createKey,
  type IssuedKey,
  type KeyIssuer,
  revokeKey,
  rotateKey,
  stateOfKey,
  withdrawKey,
} from "../keys/issue-keys.ts";
import { isWellFormedKey } from "../keys/key-format.ts";
import type { KeyRecord } from "../keys/key-table.ts";
import { keyDigest } from "../keys/peppers.ts";
import { operatorFailure } from "../operator-error.ts";
import { parseTerms } from "./account-commands.ts";
import type { CommandContext } from "./command-context.ts";

const COLUMNS = [
  "key_id",
  "account",
  "environment",
  "state",
  "created_at",
  "expires_at",
  "revoked_at",
  "pepper",
];

/** The state says that it was revoked, and the key itself which environment it is of. */
const MAY_GO = ["revoked_at", "environment", "created_at", "pepper"];

const FOUND_COLUMNS = ["key_id", "account", "environment", "state", "since"];

const EXPIRY = {
  parse: (text: string) => momentOf(text),
  wrong: "is not a date",
  hint: "Use YYYY-MM-DD, or a timestamp such as 2027-01-31T12:00:00Z.",
};

/** Parses the expiry of a key: a date means its end (UTC), a time is exact. Throws if it has passed. */
function parseExpiry(text: string, nowMs: number): number {
  const moment = parseValue(EXPIRY, "--expires", text);
  const atMs = text.includes("T") ? moment : moment + 1;
  if (atMs <= nowMs) throw badOption("--expires is in the past", "Use a later day, or omit it.");
  return atMs;
}

const GRACE = {
  ...duration(["s", "m", "h", "d"], 366 * DAY_MS),
  wrong: "is not a duration of at most 366 days",
  hint: "For example: 24h, 30m, 7d, 0s",
};

interface CreateOptions {
  readonly account: string;
  readonly tier?: string;
  readonly dailyLimit?: string;
  readonly expires?: string;
  readonly test?: boolean;
}

export function addKeyCommands(context: CommandContext): void {
  const { add, program, world, tell, withKeys, printRows, printDone } = context;
  const key = add(
    program,
    "key",
    "API keys: create, list, find, revoke, rotate",
    "key create --account acme --tier pro",
  );

  add(
    key,
    "create",
    "create a key; it is printed once, alone on stdout",
    "key create --account acme --tier pro",
  )
    .requiredOption("--account <name>", "its account, which is created if it is missing")
    .option("--tier <tier>", `tier of a new account: ${ACCESS_TIERS.join(", ")}`)
    .option("--daily-limit <n>", `requests per day of a new account, for ${tiersWithOwnLimit().join(", ")}`)
    .option("--expires <date>", "last day of the key (YYYY-MM-DD, UTC), or a timestamp")
    .option("--test", "mark it as a test key (gvk_test_…)")
    .action(async ({ account, test, expires, ...terms }: CreateOptions) => {
      const make = (parts: KeyIssuer) =>
        createKey(parts, {
          account,
          terms: parseTerms(terms),
          environment: test === true ? "test" : "live",
          expiresAtMs: expires === undefined ? null : parseExpiry(expires, parts.nowMs),
        });
      await issue(context, make, { mayMakeHome: true });
    });

  add(key, "list", "list all keys by their ids, never the keys themselves", "--json key list").action(
    async () => {
      const records = await withKeys((table) => table.keys());
      const rows = records.map((record) => rowOf(record, world.nowMs()));
      printRows(rows, { columns: COLUMNS, mayGo: MAY_GO });
    },
  );

  addKeyFindCommand(key, context);

  add(
    key,
    "revoke <key-id>",
    "revoke a key; a running server refuses it within one second",
    "key revoke key_0123456789ab",
  ).action(async (keyId: string) => {
    const { record, beforeMs } = await withKeys((table) => ({
      beforeMs: table.key(keyId)?.revokedAtMs ?? null,
      record: revokeKey(table, keyId, world.nowMs()),
    }));
    const end = beforeMs === null ? "is revoked" : `was already revoked at ${timestampOf(beforeMs)}`;
    tell(`key ${record.keyId} of account ${record.account} ${end}`);
    printDone(rowOf(record, world.nowMs()));
  });

  add(
    key,
    "rotate <key-id>",
    "create a successor with the same account and expiry; the old key ends after the grace period",
    "key rotate key_0123456789ab --grace 24h",
  )
    .option("--grace <duration>", "how long the old key keeps working", "24h")
    .action(async (keyId: string, { grace }: { grace: string }) => {
      const graceMs = parseValue(GRACE, "--grace", grace);
      await issue(context, (parts) => rotateKey(parts, keyId, graceMs), { mayMakeHome: false });
      tell(`key ${keyId} works for at most ${grace} more`);
    });
}

/** Creates a key and shows it, which is possible only once; a key that cannot be shown is revoked at once. */
async function issue(
  { world, tell, isJson, withKeys, withKeyIssuer }: CommandContext,
  make: (parts: KeyIssuer) => IssuedKey,
  options: { readonly mayMakeHome: boolean },
): Promise<void> {
  // A key written to the null device is lost, and a rotation would have ended the previous one.
  if (world.isStdoutNowhere()) {
    throw operatorFailure(
      "KEY_NOT_SHOWN",
      "Stdout is closed or /dev/null, so no key was created.",
      "A key is shown once: send stdout to a terminal, a file or a pipe.",
    );
  }
  const issued = await withKeyIssuer(make, options);
  const { key, record, replaced } = issued;
  const until = record.expiresAtMs === null ? "no expiry" : `expires ${timestampOf(record.expiresAtMs)}`;
  tell(`key ${record.keyId} of account ${record.account}, ${until}; shown once:`);
  const text = isJson() ? JSON.stringify({ key, ...rowOf(record, world.nowMs()) }) : key;
  try {
    await world.deliver(`${text}\n`);
  } catch (error) {
    await withKeys((table) => withdrawKey(table, issued, world.nowMs()));
    const kept = replaced === undefined ? "" : `, and ${replaced.keyId} works as before`;
    throw operatorFailure(
      "KEY_NOT_SHOWN",
      `The new key could not be written to stdout, so it was revoked${kept}.`,
      "Send stdout to a file or a pipe that can be written (is a disk full?), and create a key again.",
      error,
    );
  }
}

const momentOrNull = (atMs: number | null) => (atMs === null ? null : timestampOf(atMs));

function rowOf(record: KeyRecord, nowMs: number) {
  return {
    key_id: record.keyId,
    account: record.account,
    environment: record.environment,
    state: stateOfKey(record, nowMs),
    created_at: timestampOf(record.createdAtMs),
    expires_at: momentOrNull(record.expiresAtMs),
    revoked_at: momentOrNull(record.revokedAtMs),
    pepper: record.pepperId,
  };
}

/** Adds `key find`: prints the account and state of a key, which is read from stdin and never shown. */
function addKeyFindCommand(key: Command, context: CommandContext): void {
  const { add, world, isJson, tell, withKeys, peppersFor, printRows, printDone } = context;
  add(
    key,
    "find",
    "look up a key given on stdin: its id, account and state, never the key",
    "key find < FILE",
  ).action(async () => {
    const presented = (await world.readLine()).trim();
    if (presented === "") {
      throw badOption(
        "There is no key on stdin.",
        'Keep it off the screen: read -rs K; printf %s "$K" | … key find',
      );
    }
    const record = await withKeys((table, home) => {
      // Without keys there is nothing to find, and such a home may have no pepper for the lookup.
      if (table.keys().length === 0) return undefined;
      const keys = peppersFor(table, home).map((pepper) => table.findByDigest(keyDigest(pepper, presented)));
      return keys.find((key) => key !== undefined);
    });
    if (record === undefined) throw unknownKey(isWellFormedKey(presented));
    const { key_id, account, environment, state, created_at, expires_at, revoked_at } = rowOf(
      record,
      world.nowMs(),
    );
    const since = { active: created_at, expired: expires_at, revoked: revoked_at }[state];
    const row = { key_id, account, environment, state, since, successor: record.successorId };
    if (isJson()) printDone(row);
    else printRows([row], { columns: FOUND_COLUMNS, mayGo: ["environment"] });
    if (record.successorId !== null) tell(`it was rotated: its successor is ${record.successorId}`);
  });
}

/** Explains what may be wrong with the key, without repeating any of it. */
function unknownKey(isWellFormed: boolean) {
  if (!isWellFormed) {
    return operatorFailure(
      "KEY_UNKNOWN",
      "The text on stdin is not a whole key: it is mistyped or cut off.",
      "A key is gvk_live_ or gvk_test_ and 46 letters and digits, which include a checksum.",
    );
  }
  return operatorFailure(
    "KEY_UNKNOWN",
    "That key is unknown here.",
    "It belongs to another home, was created after the backup that was restored, or was stored with a pepper that is missing here.",
  );
}
