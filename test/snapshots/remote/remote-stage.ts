import { cpSync } from "node:fs";
import { afterAll, afterEach, beforeAll, onTestFinished } from "vitest";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { openRemoteWriter } from "../../../snapshots/remote/open-remote.ts";
import { type PullResult, pullVersion } from "../../../snapshots/remote/pull-version.ts";
import { pushVersion } from "../../../snapshots/remote/push-version.ts";
import type { RemoteOptions } from "../../../snapshots/remote/remote-address.ts";
import type { PullVersionOptions, RemoteWriter } from "../../../snapshots/remote/remote-store.ts";
import { isRemoteFailure } from "../../../snapshots/remote/remote-store.ts";
import { isSnapshotFailure } from "../../../snapshots/store/read/snapshot-error.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture } from "../../support/published-set.ts";
import { type S3TestServer, startS3Server } from "../../support/s3-server.ts";
import { sharedRoot, temporaryRoot } from "../store/temporary-root.ts";

const HOUR_MS = 3_600_000;

/** A set of few files: one DAO, nobody who delegates. Takes a seventh of the time of the whole one. */
export function smallSet(asOfMs: number = FIXTURE_AS_OF_MS): PublishedSet {
  return { ...publishedSet(asOfMs), listings: [] };
}

/** Publishes the n-th version under a root: each an hour after the one before. */
export function publishNth(root: string, nth: number, set: PublishedSet = smallSet()) {
  return publishFixture(root, { set, createdAtMs: FIXTURE_AS_OF_MS + 1 + nth * HOUR_MS });
}

/** One S3 server for the tests of a file, each with a place of its own: nothing of one test gets into the next. */
export function remoteStage() {
  let server: S3TestServer | undefined;
  let places = 0;
  const roots = new Map<number, ReturnType<typeof sharedRoot>>();
  const running = (): S3TestServer => {
    if (server === undefined) throw new Error("the S3 server has not been started");
    return server;
  };
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterEach(() => {
    running().meet();
    running().forget();
    running().enforceConditions(false);
  });
  afterAll(async () => {
    for (const { remove } of roots.values()) remove();
    await server?.close();
  });
  async function open(address: string, options: RemoteOptions): Promise<RemoteWriter> {
    const { environment } = running();
    const writer = await openRemoteWriter(address, { environment, attemptsMax: 1, ...options });
    onTestFinished(writer.close);
    return writer;
  }
  return {
    server: running,
    place: (options: RemoteOptions = {}) => {
      places += 1;
      return open(`s3://${running().bucket}/place-${places}`, options);
    },
    /** The same place again, as another process would open it. */
    again: (writer: RemoteWriter, options: RemoteOptions = {}) => open(writer.name, options),
    /** A copy of a root with so many versions. */
    async rootOf(versions: number) {
      let kept = roots.get(versions);
      if (kept === undefined) {
        kept = sharedRoot();
        roots.set(versions, kept);
        for (let nth = 1; nth <= versions; nth += 1) {
          // Something new in each, and something that stays.
          await publishNth(kept.root, nth, smallSet(FIXTURE_AS_OF_MS - (versions - nth) * 24 * HOUR_MS));
        }
      }
      const copy = temporaryRoot();
      cpSync(kept.root, copy, { recursive: true });
      return copy;
    },
  };
}

/** Pushes a root, and says nothing. */
export function push(
  root: string,
  writer: RemoteWriter,
  more: Partial<Parameters<typeof pushVersion>[0]> = {},
): ReturnType<typeof pushVersion> {
  return pushVersion({ root, writer, warn: () => {}, ...more });
}

/** Pulls into a root. */
export function pull(
  root: string,
  reader: PullVersionOptions["reader"],
  more: Partial<PullVersionOptions> = {},
): Promise<PullResult> {
  return pullVersion({ reader, disk: createSnapshotDisk(root), ...more });
}

/** The stable code of a refusal. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "none";
  } catch (error) {
    if (isRemoteFailure(error) || isSnapshotFailure(error)) return error.code;
    throw error;
  }
}
