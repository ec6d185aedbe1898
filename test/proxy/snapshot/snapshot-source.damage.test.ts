import { cpSync, readFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readinessOf } from "../../../proxy/snapshot/readiness.ts";
import { createSnapshotSource } from "../../../proxy/snapshot/snapshot-source.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { copyOf, currentDirectory, sharedRoot } from "../../snapshots/store/temporary-root.ts";
import { FIXTURE_AS_OF_MS, publishFixture } from "../../support/published-set.ts";
import { NOBODY_DENIED } from "../support/fake-reader.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createTestProxy } from "../support/test-proxy.ts";

describe("damaged index", () => {
  const DAY_MS = 86_400_000;

  /** The time that every index has when it is opened, so that a test can put it back to the nanosecond. */
  const OPENED_AT_S = 1_700_000_000;
  let pristine: string;
  let later: string;

  /** Two roots of the same life: the second has one version more. */
  beforeAll(async () => {
    const roots = [sharedRoot(), sharedRoot()] as const;
    [pristine, later] = [roots[0].root, roots[1].root];
    await publishFixture(pristine);
    cpSync(pristine, later, { recursive: true });
    await publishFixture(later, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
    return () => {
      for (const root of roots) root.remove();
    };
  });

  /** A proxy's source on a root of real files, and what `/readyz` would say. */
  async function sourceOn(root: string) {
    utimesSync(join(currentDirectory(root), "index.sqlite"), OPENED_AT_S, OPENED_AT_S);
    let highest = 0;
    let nowMs = FIXTURE_AS_OF_MS;
    const source = createSnapshotSource({
      versions: {
        readPointer: () => readPointer(root),
        open: (sequenceMin) => openSnapshot(root, { sequenceMin }),
      },
      denyList: NOBODY_DENIED,
      memory: {
        highest: () => highest,
        remember: (sequence) => {
          highest = sequence;
        },
      },
      nowMs: () => nowMs,
      onEvent: () => {},
    });
    onTestFinished(() => source.close());
    const pollLater = async () => {
      nowMs += 61_000;
      await source.poll();
      const { httpStatus, body } = readinessOf(source.status(), {
        nowMs,
        maxAgeMs: undefined,
        isUnsignedCopy: false,
        isStopping: false,
        storeProblem: undefined,
      });
      return { httpStatus, ...body };
    };
    expect(await pollLater()).toMatchObject({ httpStatus: 200, status: "ready" });
    const directory = currentDirectory(root);
    const ask = () => source.shown()?.document("dgi", "current")?.identity.bytes.toString();
    return { root, ask, pollLater, index: join(directory, "index.sqlite"), directory };
  }

  /** Overwrites in place, as a failing disk or a careless hand would: the open file itself changes. */
  function overwrite(path: string, change: (bytes: Buffer) => Buffer): void {
    writeFileSync(path, change(readFileSync(path)));
  }

  describe("an index that is damaged while the proxy has it open", () => {
    it.each([
      { why: "cut to nothing", damage: (path: string) => truncateSync(path, 0) },
      { why: "cut in the middle", damage: (path: string) => truncateSync(path, 8192) },
      { why: "cut by one byte", damage: (path: string) => overwrite(path, (bytes) => bytes.subarray(0, -1)) },
      { why: "longer by one byte", damage: (path: string) => writeFileSync(path, " ", { flag: "a" }) },
      {
        why: "zeros throughout",
        damage: (path: string) => overwrite(path, (bytes) => Buffer.alloc(bytes.length)),
      },
      {
        why: "changed in one bit, and its time put back",
        damage: (path: string) => {
          overwrite(path, (bytes) => Buffer.from(bytes).fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1));
          utimesSync(path, OPENED_AT_S, OPENED_AT_S);
        },
      },
    ])("is not served any more once it is $why, and /readyz says so", async ({ damage }) => {
      const { ask, pollLater, index, directory } = await sourceOn(copyOf(pristine));
      damage(index);
      const said = await pollLater();
      expect(said).toMatchObject({
        httpStatus: 503,
        status: "unavailable",
        reason: "SNAPSHOT_INVALID",
        refused_version: directory.slice(-25),
      });
      expect(ask()).toBeUndefined();
      expect(await pollLater()).toEqual(said);
    });

    it("is served again once its bytes are back", async () => {
      const { ask, pollLater, index } = await sourceOn(copyOf(pristine));
      const [good, answer] = [readFileSync(index), ask()];
      truncateSync(index, 4096);
      expect(await pollLater()).toMatchObject({ httpStatus: 503 });
      writeFileSync(index, good);
      expect(await pollLater()).toMatchObject({ httpStatus: 200, status: "ready" });
      expect(ask()).toBe(answer);
    });

    it("gives way to the next version that is whole", async () => {
      const { root, ask, pollLater, index } = await sourceOn(copyOf(pristine));
      truncateSync(index, 0);
      expect(await pollLater()).toMatchObject({ httpStatus: 503 });
      await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + DAY_MS });
      expect(await pollLater()).toMatchObject({ httpStatus: 200, status: "ready", sequence: 2 });
      expect(ask()).toContain('"dao_count":3');
    });

    it("does not give way to an older version, although that is whole", async () => {
      const { pollLater, index } = await sourceOn(copyOf(later));
      truncateSync(index, 0);
      expect(await pollLater()).toMatchObject({ httpStatus: 503, reason: "SNAPSHOT_INVALID" });
    });

    it.each([
      { why: "is only looked at by whoever sets times", touch: (path: string) => utimesSync(path, 1, 1) },
      { why: "loses its name", touch: (path: string) => rmSync(path) },
      {
        why: "is written anew with the same bytes",
        touch: (path: string) => {
          writeFileSync(`${path}.new`, readFileSync(path));
          renameSync(`${path}.new`, path);
        },
      },
      {
        why: "gets a journal laid beside it",
        touch: (path: string) => writeFileSync(`${path}-journal`, hotJournal()),
      },
      {
        why: "gets a log laid beside it",
        touch: (path: string) => writeFileSync(`${path}-wal`, Buffer.alloc(4096, 1)),
      },
    ])("goes on being served while it $why", async ({ touch }) => {
      const { ask, pollLater, index } = await sourceOn(copyOf(pristine));
      const answer = ask();
      touch(index);
      expect(await pollLater()).toMatchObject({ httpStatus: 200, status: "ready" });
      expect(ask()).toBe(answer);
    });
  });

  /** The header of a rollback journal that asks for one page, which it does not hold, to be put back. */
  function hotJournal(): Buffer {
    const journal = Buffer.alloc(8192);
    Buffer.from([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]).copy(journal);
    journal.writeUInt32BE(1, 8);
    journal.writeUInt32BE(1, 16);
    journal.writeUInt32BE(512, 20);
    journal.writeUInt32BE(4096, 24);
    return journal;
  }
});

describe("damaged listing", () => {
  const folder = temporaryFolder();
  const shared = sharedRoot();
  const DATE = "2026-03-29";
  const FILE = "delegates/tidewater.example/2026-03.ndjson";
  const URL = "/v1/daos/tidewater.example/delegates";

  beforeAll(async () => {
    await publishFixture(shared.root);
    return () => shared.remove();
  });

  async function setUp() {
    const root = copyOf(shared.root);
    const proxy = await createTestProxy({ folder, published: root });
    onTestFinished(proxy.close);
    const ask = async (url: string) => (await proxy.ask(url, { key: proxy.keys.pro })).status;
    const readiness = async () => JSON.parse((await proxy.ask("/readyz")).body);
    return { root, proxy, ask, readiness, file: join(currentDirectory(root), FILE) };
  }

  it.each([
    {
      why: "its line was changed",
      damage: (file: string) => {
        // The first line of its month.
        writeFileSync(file, readFileSync(file, "utf8").replace('"rank":1,', '"rank":2,'));
      },
      ofNextDay: 200,
    },
    { why: "its month was deleted", damage: (file: string) => rmSync(file), ofNextDay: 500 },
  ])(
    "of a past day is our failure once, then refused and charged, until the next version ($why)",
    async (row) => {
      const { damage, ofNextDay } = row;
      const { root, proxy, ask, readiness, file } = await setUp();
      damage(file);
      expect(await ask(`${URL}?date=${DATE}`)).toBe(500);
      expect(proxy.usedBy("pro")).toBe(0);
      for (const more of ["", "&limit=20", "&tier=T1"])
        expect(await ask(`${URL}?date=${DATE}${more}`)).toBe(404);
      expect(proxy.usedBy("pro")).toBe(3);
      expect([await ask(URL), await ask(`${URL}?date=2026-03-30`)]).toEqual([200, ofNextDay]);
      await proxy.poll();
      await proxy.poll();
      expect(await readiness()).toMatchObject({ status: "degraded", reason: "SNAPSHOT_INVALID" });
      expect(await readiness()).not.toHaveProperty("refused_version");
      await publishFixture(root, { createdAtMs: FIXTURE_AS_OF_MS + 25 * 3_600_000 });
      await proxy.poll();
      expect(await readiness()).toMatchObject({ status: "ready" });
      expect(await ask(`${URL}?date=${DATE}`)).toBe(200);
    },
  );
});
