import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openQuotaLedger } from "../../proxy/quota/sqlite/quota-ledger.ts";
import { openSqlite } from "../../snapshots/base/sqlite.ts";
import { NAMESPACE } from "./full-disk.ts";
import { type Lane, openLane } from "./quota-lane.ts";
import { type QuotaStage, type StagedProxy, startAtNoon } from "./quota-stage.ts";

interface Fault {
  readonly name: string;
  /** Harms the file; gives the way to put it right. */
  readonly harm: (world: FaultWorld) => Promise<() => Promise<void>>;
  /** Some answers may be given while it lasts, as long as they are counted. */
  readonly mayServe?: boolean;
  /** Only the next day, or a start, puts it right: units were lost for good. */
  readonly needsNextDay?: boolean;
}

interface FaultWorld {
  readonly home: string;
  readonly proxy: StagedProxy;
  readonly hold: string;
}

const FILES = ["quota.db", "quota.db-wal", "quota.db-shm"];
const LIMIT = 1_000;
const ASKED = 4;
/** Ends a wait for what never comes: it recovers within a second, unless the machine is busy. */
const RECOVERS_WITHIN_MS = 120_000;

const present = (folder: string) => FILES.filter((file) => existsSync(join(folder, file)));
const moveAll = (from: string, to: string) => {
  for (const file of present(from)) renameSync(join(from, file), join(to, file));
};

const FAULTS: readonly Fault[] = [
  {
    name: "locked",
    harm: async ({ home }) => {
      const other = openSqlite(join(home, "quota.db"));
      other.exec("BEGIN EXCLUSIVE");
      return async () => {
        other.exec("ROLLBACK");
        other.close();
      };
    },
  },
  {
    name: "corrupt",
    harm: async ({ home }) => {
      const right = present(home).map((file) => [join(home, file), readFileSync(join(home, file))] as const);
      for (const [path, bytes] of right)
        writeFileSync(path, Buffer.alloc(Math.max(bytes.length, 4096), 0x5a));
      return async () => {
        for (const [path, bytes] of right) writeFileSync(path, bytes);
      };
    },
  },
  {
    name: "moved away",
    harm: async ({ home, hold }) => {
      moveAll(home, hold);
      return async () => moveAll(hold, home);
    },
  },
  {
    name: "replaced by another counter",
    harm: async ({ home, hold }) => {
      moveAll(home, hold);
      openQuotaLedger(join(home, "quota.db")).close();
      return async () => {
        for (const file of present(home)) rmSync(join(home, file));
        moveAll(hold, home);
      };
    },
  },
  {
    name: "replaced by a text",
    harm: async ({ home, hold }) => {
      moveAll(home, hold);
      writeFileSync(join(home, "quota.db"), "not a database, but long enough to be looked at".repeat(100));
      return async () => {
        for (const file of present(home)) rmSync(join(home, file));
        moveAll(hold, home);
      };
    },
  },
  {
    name: "deleted",
    needsNextDay: true,
    harm: async ({ home }) => {
      for (const file of present(home)) rmSync(join(home, file));
      return async () => {};
    },
  },
];

/** System calls that fail under a process that runs: what a file system does that went read-only, is full or is dying. */
const SYSTEM_CALLS = [
  { name: "read-only", inject: "pwrite64:error=EROFS" },
  { name: "no room", inject: "pwrite64:error=ENOSPC" },
  { name: "the flush fails", inject: "fsync,fdatasync:error=EIO" },
] as const;

function failing({ name, inject }: (typeof SYSTEM_CALLS)[number]): Fault {
  const calls = inject.split(":")[0];
  return {
    name,
    harm: async ({ proxy }) => {
      const attach = ["-f", "-p", String(proxy.child.process.pid), "-o", "/dev/null"];
      const words = [...attach, "-e", `trace=${calls}`, "-e", `inject=${inject}`];
      const strace = spawn("strace", words, { stdio: ["ignore", "ignore", "pipe"] });
      const ended = once(strace, "close");
      // Its first word is that it is attached.
      await Promise.race([once(strace.stderr, "data"), ended]);
      return async () => {
        strace.kill("SIGTERM");
        await ended;
      };
    },
  };
}

const FULL: Fault = {
  name: "full",
  mayServe: true,
  harm: async ({ proxy, home }) => {
    const fill = (name: string, size: string) => `dd if=/dev/zero of=${home}/${name} bs=${size} 2>/dev/null`;
    await proxy.tell(`sh ${fill("fill", "4k")}; ${fill("fill-more", "512")}`);
    return () => proxy.tell(`sh rm -f ${home}/fill ${home}/fill-more`);
  },
};

const NEXT_DAY_MS = Date.parse("2031-01-16T12:00:00.000Z");

/**
 * F12: harms the file in each way while a proxy runs, and puts it right again: 503 and never an answer that was not
 * counted, and back to work without a restart. `withStrace` and `withMount` say what this system lets us do.
 */
export async function quotaStoreFaults(
  stage: QuotaStage,
  can: { readonly strace: boolean; readonly mount: boolean },
) {
  const tally = { faults: [] as string[], unavailable: 0, answers: 0, broken: [] as string[] };
  const hold = `${stage.home}-hold`;
  mkdirSync(hold);
  const { key } = stage.issueKey("faults", LIMIT);
  if (can.mount) {
    const seed = `${stage.home}-seed`;
    cpSync(stage.home, seed, { recursive: true });
    const mount = `mount -t tmpfs -o size=320k none ${stage.home} && cp ${seed}/* ${stage.home} && exec "$@"`;
    const proxy = await startAtNoon(stage, [...NAMESPACE, "sh", "-c", mount, "sh"]);
    // Only the process sees its disk: what it counted is looked at in a copy.
    const usedNow = async () => {
      await proxy.tell(`sh cp ${stage.home}/quota.db* ${hold}`);
      const used = usedIn(hold, "faults");
      for (const file of present(hold)) rmSync(join(hold, file));
      return used;
    };
    await inflict({ home: stage.home, hold, proxy }, { fault: FULL, key, usedNow }, tally);
    await proxy.kill();
  }
  const proxy = await startAtNoon(stage);
  const usedNow = async () => usedIn(stage.home, "faults");
  const faults = [...(can.strace ? SYSTEM_CALLS.map(failing) : []), ...FAULTS];
  for (const fault of faults)
    await inflict({ home: stage.home, hold, proxy }, { fault, key, usedNow }, tally);
  await proxy.kill();
  rmSync(hold, { recursive: true });
  return tally;
}

function usedIn(folder: string, account: string): number {
  const ledger = openQuotaLedger(join(folder, "quota.db"));
  const used = ledger.usage(account, "0000-01-01").reduce((sum, row) => sum + row.used, 0);
  ledger.close();
  return used;
}

async function inflict(
  world: FaultWorld,
  { fault, key, usedNow }: { fault: Fault; key: string; usedNow: () => Promise<number> },
  tally: { faults: string[]; unavailable: number; answers: number; broken: string[] },
): Promise<void> {
  const wrong = (what: string) => void tally.broken.push(`${fault.name}: ${what}`);
  const lane = openLane(world.proxy.address, key);
  const before = await usedNow();
  let served = await askSome(lane, 200, wrong);
  const putRight = await fault.harm(world);
  for (let turn = 0; turn < ASKED; turn += 1) {
    const status = (await lane.ask())?.status;
    if (status === 503) tally.unavailable += 1;
    else if (status === 200 && fault.mayServe === true) served += 1;
    else wrong(`${status} while it lasts`);
  }
  await putRight();
  if (fault.needsNextDay === true) {
    if ((await lane.ask())?.status !== 503) wrong("served on the day that was lost");
    await world.proxy.tell(`clock ${NEXT_DAY_MS} ${Date.now()}`);
    served = 0;
  }
  served += await askSome(lane, 200, wrong);
  lane.close();
  const used = (await usedNow()) - (fault.needsNextDay === true ? 0 : before);
  // More may be counted than was answered, where a commit was done and its outcome unknown; never the other way.
  if (used < served || used > served + ASKED) wrong(`${served} answered and ${used} counted`);
  tally.faults.push(fault.name);
  tally.answers += served;
}

/** Asks until the first good answer, and then some more, all of which must be good. */
async function askSome(lane: Lane, want: number, wrong: (what: string) => void): Promise<number> {
  const untilMs = Date.now() + RECOVERS_WITHIN_MS;
  let status = (await lane.ask())?.status;
  while (status === 503 && Date.now() < untilMs) {
    await sleep(50);
    status = (await lane.ask())?.status;
  }
  const more: (number | undefined)[] = [status];
  for (let turn = 1; turn < ASKED; turn += 1) more.push((await lane.ask())?.status);
  for (const status of more) if (status !== want) wrong(`${status} when all is well`);
  return more.filter((status) => status === 200).length;
}
