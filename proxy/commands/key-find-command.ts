import type { Command } from "commander";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { isWellFormedKey } from "../keys/key-format.ts";
import { stateOfKey } from "../keys/key-ring.ts";
import type { KeyRecord } from "../keys/key-store.ts";
import { keyDigest } from "../keys/peppers.ts";
import { OperatorError } from "../operator-error.ts";
import { usage } from "../settings.ts";
import { type CommandWorld, type GlobalFlags, peppersFor, withStore } from "./command-world.ts";
import { describedCommand } from "./described-command.ts";
import { printDone, printRows } from "./print-rows.ts";

const COLUMNS = ["key_id", "account", "environment", "state", "since"];

/** Adds `key find`: whose key somebody holds, and what became of it. The key comes on stdin and is never shown. */
export function addKeyFindCommand(key: Command, program: Command, world: CommandWorld): void {
  describedCommand(
    key,
    "find",
    "tell which key somebody holds, given on stdin: its id, account and state, never the key",
    "key find < FILE",
  ).action(async () => {
    const flags = program.opts<GlobalFlags>();
    const presented = ((await world.readLine?.()) ?? "").trim();
    if (presented === "") {
      throw usage("No key came on stdin.", 'Keep it off the screen: read -rs K; printf %s "$K" | … key find');
    }
    const record = await withStore(world, flags, (store, home) => {
      // Of no keys there is none, and a home without keys may have no pepper to ask with.
      if (store.keys().length === 0) return undefined;
      const found = peppersFor(world, store, home).map((pepper) =>
        store.findByDigest(keyDigest(pepper, presented)),
      );
      return found.find((each) => each !== undefined);
    });
    if (record === undefined) throw unknownKey(presented);
    tell(world, record, flags.json === true);
  });
}

function tell(world: CommandWorld, record: KeyRecord, asJson: boolean): void {
  const state = stateOfKey(record, world.nowMs());
  const sinceMs = { active: record.createdAtMs, expired: record.expiresAtMs, revoked: record.revokedAtMs }[
    state
  ];
  const row = {
    key_id: record.keyId,
    account: record.account,
    environment: record.environment,
    state,
    since: sinceMs === null ? null : timestampOf(sinceMs),
    successor: record.successorId,
  };
  if (asJson) printDone(world.stdout, true, row);
  else printRows(world.stdout, [row], { columns: COLUMNS, mayGo: ["environment"], asJson });
  if (record.successorId !== null)
    world.stderr.write(`it was rotated: its successor is ${record.successorId}\n`);
}

/** Says what may be wrong with it, and nothing of what it was. */
function unknownKey(presented: string): OperatorError {
  if (!isWellFormedKey(presented)) {
    return new OperatorError(
      "KEY_UNKNOWN",
      "What came on stdin is no whole key: it is mistyped, or cut off.",
      "A key is gvk_live_ or gvk_test_ and 46 letters and digits, with a checksum in them.",
    );
  }
  return new OperatorError(
    "KEY_UNKNOWN",
    "That key is not known here.",
    "It is of another home, was made after the backup that was restored, or is under a pepper that is not there.",
  );
}
