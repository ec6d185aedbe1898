import { resolve } from "node:path";
import type { Command } from "commander";
import { readPlaces } from "../settings.ts";
import type { CommandWorld, GlobalFlags } from "./command-world.ts";
import { describedCommand } from "./described-command.ts";
import { type Moved, moveToRedis } from "./move-to-redis.ts";
import { printDone } from "./print-rows.ts";
import { withKeyBook } from "./with-key-book.ts";

/** Adds `move`: from files on one host to a Redis for several. */
export function addMoveCommand(program: Command, world: CommandWorld): void {
  describedCommand(
    program,
    "move",
    "move accounts, keys and today's counts of this home into the Redis of GOVDATA_QUOTA, with every server stopped",
    "move",
  ).action(async () => {
    const flags = program.opts<GlobalFlags>();
    const { home } = readPlaces(flags, world.environment);
    const { randomBytes } = world;
    const moved = await withKeyBook(world, (book, link) => moveToRedis(home, { book, link, randomBytes }));
    tell(world, moved, resolve(home));
    printDone(world.stdout, flags.json === true, {
      accounts: moved.accounts,
      keys: moved.keys,
      counted_day: moved.counts?.day ?? null,
      counted_accounts: moved.counts?.counted ?? 0,
    });
  });
}

function tell(world: CommandWorld, { accounts, keys, counts }: Moved, home: string): void {
  const lines = [`moved accounts: ${accounts}, keys: ${keys}`];
  if (counts !== undefined) {
    lines.push(
      `moved counts of ${counts.day}: ${counts.counted}; those of earlier days stay in quota.db.moved`,
    );
    if (counts.wasClosed)
      lines.push("that day was closed since a restore: every account is at its limit in Redis too");
  }
  lines.push(
    `the files lie in ${home} as keys.db.moved and quota.db.moved, where nothing reads them: keep them as a backup`,
    "every host needs GOVDATA_QUOTA and the pepper of this home; a server without GOVDATA_QUOTA does not start here",
  );
  world.stderr.write(lines.map((line) => `${line}\n`).join(""));
}
