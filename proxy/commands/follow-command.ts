import { setTimeout as pause } from "node:timers/promises";
import { badOption } from "../../snapshots/base/command-line/values.ts";
import type { RemoteEvent } from "../follow/follow-remote.ts";
import { openHome } from "../home.ts";
import { fileFailure } from "../operator-error.ts";
import { publishedPath, readFollowSettings } from "../settings.ts";
import type { CommandContext } from "./command-context.ts";
import { CUT_SHORT, stopped } from "./command-world.ts";

const UNSIGNED_REMOTE =
  "GOVDATA_PUBLIC_KEY is not set: anyone who can write to the remote address decides what is copied here";

const MESSAGES: Readonly<Record<RemoteEvent["kind"], { level: "info" | "warn"; words: string }>> = {
  pulled: { level: "info", words: "version copied from the remote address" },
  "not followed": { level: "warn", words: "the copy may not be the version published at the remote address" },
  "followed again": { level: "info", words: "the copy is the version published at the remote address again" },
  "went back": {
    level: "warn",
    words: "went back to an older version: the remote address has named nothing newer for ten minutes",
  },
  tidied: { level: "info", words: "old copies deleted" },
  "given up": { level: "warn", words: "the copy was damaged and is downloaded again" },
};

/** Waits `waitMs`, or until the signal aborts; never rejects. */
export const rest = (waitMs: number, signal: AbortSignal): Promise<void> =>
  pause(waitMs, undefined, { signal }).catch(() => {});

/** Adds `follow`. `setExitCode` is called when it was stopped before it was done. */
export function addFollowCommand(
  { add, program, world, paths, isJson, printDone }: CommandContext,
  setExitCode: (code: number) => void,
): void {
  add(
    program,
    "follow <address>",
    "keep the home's copy of what is published at s3://bucket/prefix or https://mirror up to date",
    "follow s3://bucket/prefix",
  ).action(async (given: string) => {
    const { home } = paths();
    const { snapshots: root, remote: address } = publishedPath(given, home, "ADDRESS");
    if (address === undefined)
      throw badOption("ADDRESS names a folder.", "Serve that folder directly: it needs no copy.");
    const settings = readFollowSettings(world.environment);
    openHome(home);
    const { createLog } = await import("../observe/create-log.ts");
    const { followRemote } = await import("../follow/follow-remote.ts");
    const log = createLog({ write: (line) => void world.stderr.write(line) }, settings.logLevel);
    const following = await followRemote(
      { address, root, home, ...settings },
      {
        environment: world.environment,
        nowMs: world.nowMs,
        random: () => (world.randomBytes(1)[0] ?? 0) / 256,
        rest,
        onEvent: (event) => {
          const { level, words } = MESSAGES[event.kind];
          log[level]({ remote: following.name, ...event }, words);
        },
        onStatus: (status) => world.parent?.report(status),
      },
    );
    if (settings.trustedKeys === undefined) log.warn({ remote: following.name }, UNSIGNED_REMOTE);
    if (isJson()) printDone({ following: following.name, copy: root });
    else world.stdout.write(`following ${following.name} into ${root}\n`);
    const ending = new AbortController();
    const run = following.run(ending.signal).then(
      () => true,
      (error: unknown) => Promise.reject(fileFailure(error, "The copy in the home")),
    );
    const end = () => {
      ending.abort();
      return run;
    };
    // The server that needs the copy is gone.
    world.parent?.onGone(() => void end());
    if (!(await Promise.race([stopped(world, end), run]))) setExitCode(CUT_SHORT);
  });
}
