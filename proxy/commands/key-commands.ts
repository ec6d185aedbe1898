import type { Command } from "commander";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { createKey, type IssuedKey, revokeKey, rotateKey, stateOfKey } from "../keys/key-ring.ts";
import type { KeyRecord } from "../keys/key-store.ts";
import { type CommandWorld, type GlobalFlags, withKeyRing, withStore } from "./command-world.ts";
import { parseExpiry, parseGrace, parseTerms } from "./parse-options.ts";
import { printRows } from "./print-rows.ts";

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

interface CreateOptions {
  readonly account: string;
  readonly tier?: string;
  readonly dailyLimit?: string;
  readonly expires?: string;
  readonly test?: boolean;
}

/** Adds `key create|list|revoke|rotate`. */
export function addKeyCommands(program: Command, world: CommandWorld): void {
  const flags = () => program.opts<GlobalFlags>();
  const key = program.command("key").description("API keys: make, list, revoke, rotate");

  key
    .command("create")
    .description("make a key; it is printed alone on stdout, once, and cannot be shown again")
    .requiredOption("--account <name>", "the account it belongs to; made where it is missing")
    .option("--tier <tier>", "tier of a new account: free, pro or enterprise")
    .option("--daily-limit <n>", "requests a day of a new Enterprise account, instead of 100000")
    .option("--expires <date>", "last day of the key (YYYY-MM-DD, UTC), or a moment")
    .option("--test", "mark it as a test key (gvk_test_…)")
    .action((options: CreateOptions) => {
      withKeyRing(world, flags(), (parts) => {
        const issued = createKey(parts, {
          account: options.account,
          terms: parseTerms(options),
          environment: options.test === true ? "test" : "live",
          expiresAtMs: options.expires === undefined ? null : parseExpiry(options.expires, parts.nowMs),
        });
        printIssued(world, issued);
      });
    });

  key
    .command("list")
    .description("list all keys, never the keys themselves")
    .action(() => {
      withStore(world, flags(), (store) => {
        const rows = store.keys().map((record) => rowOf(record, world.nowMs()));
        printRows(world.stdout, COLUMNS, rows, flags().json === true);
      });
    });

  key
    .command("revoke <key-id>")
    .description("end a key; a running server follows within one second")
    .action((keyId: string) => {
      withStore(world, flags(), (store) => {
        const record = revokeKey(store, keyId, world.nowMs());
        world.stderr.write(`key ${record.keyId} of account ${record.account} is revoked\n`);
      });
    });

  key
    .command("rotate <key-id>")
    .description("make a successor with the same account and expiry; the old key ends after the grace")
    .option("--grace <duration>", "how long the old key works on", "24h")
    .action((keyId: string, options: { grace: string }) => {
      withKeyRing(world, flags(), (parts) => {
        const issued = rotateKey(parts, keyId, parseGrace(options.grace));
        world.stderr.write(`key ${keyId} works for ${options.grace} more at most\n`);
        printIssued(world, issued);
      });
    });
}

function printIssued(world: CommandWorld, { key, record }: IssuedKey): void {
  const until = record.expiresAtMs === null ? "no expiry" : `expires ${timestampOf(record.expiresAtMs)}`;
  world.stderr.write(`key ${record.keyId} of account ${record.account}, ${until}; shown once:\n`);
  world.stdout.write(`${key}\n`);
}

function rowOf(record: KeyRecord, nowMs: number) {
  return {
    key_id: record.keyId,
    account: record.account,
    environment: record.environment,
    state: stateOfKey(record, nowMs),
    created_at: timestampOf(record.createdAtMs),
    expires_at: record.expiresAtMs === null ? null : timestampOf(record.expiresAtMs),
    revoked_at: record.revokedAtMs === null ? null : timestampOf(record.revokedAtMs),
    pepper: record.pepperId,
  };
}
