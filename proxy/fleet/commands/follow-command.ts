import { setTimeout as pause } from "node:timers/promises";
import { badOption } from "../../../snapshots/base/command-line/values.ts";
import type { CommandContext } from "../../commands/command-context.ts";
import { CUT_SHORT, stopped } from "../../commands/command-world.ts";
import { openHome } from "../../home.ts";
import { fileFailure } from "../../operator-error.ts";
import { publishedPath, readFollowSettings } from "../../settings.ts";
import type { RemoteEvent } from "../follow/follow-remote.ts";

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

/** A pointer that has not changed costs one request without a body. */
const POLL_MS = 1_000;

/** Adds `follow`. `setExitCode` is called when it was stopped before it was done. */
export function addFollowCommand(
  { add, program, world, paths, isJson, printDone }: CommandContext,
  setExitCode: (code: number) => void,
): void {
  add(
    program,
    "follow [address]",
    "keep the home's copy of a bucket or mirror (GOVDATA_SNAPSHOTS) up to date, for its servers",
    "follow s3://bucket/prefix",
  ).action(async (given: string | undefined) => {
    const { home, ...published } = paths();
    const { snapshots: root, remote: address } =
      given === undefined ? published : publishedPath(given, home, "ADDRESS");
    if (address === undefined) {
      const what = given === undefined ? "GOVDATA_SNAPSHOTS" : "ADDRESS";
      throw badOption(`${what} names a folder.`, "Serve that folder directly: it needs no copy.");
    }
    const settings = readFollowSettings(world.environment);
    openHome(home);
    const { createLog } = await import("../../observe/create-log.ts");
    const { REPORT_EVERY_MS, removeRemoteStatus, writeRemoteStatus } = await import(
      "../../snapshot/remote-status.ts"
    );
    const { followRemote } = await import("../follow/follow-remote.ts");
    const log = createLog({ write: (line) => void world.stderr.write(line) }, settings.logLevel);
    const ending = new AbortController();
    const { name, status, run } = await followRemote(
      { address, root, home, ...settings },
      {
        environment: world.environment,
        nowMs: world.nowMs,
        rest: (signal) => pause(POLL_MS, undefined, { signal }).catch(() => {}),
        onEvent: (event) => {
          const { level, words } = MESSAGES[event.kind];
          log[level]({ remote: name, ...event }, words);
        },
      },
      ending.signal,
    );
    if (settings.trustedKeys === undefined) log.warn({ remote: name }, UNSIGNED_REMOTE);
    if (isJson()) printDone({ following: name, copy: root });
    else world.stdout.write(`following ${name} into ${root}\n`);
    const report = () => {
      try {
        writeRemoteStatus(home, status(), world.nowMs());
      } catch {
        // Without a report a server says that nobody follows, which is what its operator has to look at.
      }
    };
    report();
    const reporting = setInterval(report, REPORT_EVERY_MS);
    const running = run()
      .catch((error: unknown) => Promise.reject(fileFailure(error, "The copy in the home")))
      .finally(() => {
        clearInterval(reporting);
        removeRemoteStatus(home);
      });
    const end = () => {
      ending.abort();
      return running;
    };
    const isDone = await Promise.race([stopped(world, end), running.then(() => true)]);
    if (!isDone) setExitCode(CUT_SHORT);
  });
}
