import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Finding } from "../../snapshots/format/run-report.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../snapshots/optouts/create-opt-outs.ts";
import { type DenyList, EVERYBODY_DENIED, readDenyList } from "../../snapshots/optouts/deny-list.ts";
import { OptOutsError } from "../../snapshots/optouts/opt-outs-error.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import type { Registry } from "../facts/tracked.ts";
import { inHome } from "./in-home.ts";
import type { Settings } from "./settings.ts";

const OPT_OUTS_FILE = "optouts.db";
const MEMORY_FILE = "live-opt-outs.json";

/** How long the list was when it was last looked at; its being there says that there is a list. Never published. */
const Memory = z.strictObject({ live_opt_outs: z.int().min(0) });

/** The live opt-outs: obeyed, or the reason why nobody may be named. */
export interface LiveOptOuts {
  readonly list: DenyList;
  readonly problem: OptOutsError | undefined;
}

/** Where the list of live opt-outs lies: where the operator said, or in the home. */
export function optOutsPathOf({ homeDirectory, optOutsPath }: Settings): string {
  return optOutsPath ?? join(homeDirectory, OPT_OUTS_FILE);
}

/** Length of the list at the last publish from this home; `undefined` before this home had one. */
export function rememberedLiveOptOuts({ homeDirectory }: Settings): number | undefined {
  const path = join(homeDirectory, MEMORY_FILE);
  if (!existsSync(path)) return undefined;
  try {
    return Memory.parse(JSON.parse(readFileSync(path, "utf8"))).live_opt_outs;
  } catch (cause) {
    throw new PipelineError("HOME_INVALID", `${MEMORY_FILE} in the home cannot be read`, {
      cause,
      hint: `Check with \`govdata-proxy optout list\` that no opt-out is gone, then delete ${MEMORY_FILE}.`,
    });
  }
}

/** Remembers how long the list is; throws `PipelineError` HOME_INVALID. */
export function rememberLiveOptOuts({ homeDirectory }: Settings, count: number): void {
  const path = join(homeDirectory, MEMORY_FILE);
  const text = `${JSON.stringify(Memory.parse({ live_opt_outs: count }))}\n`;
  inHome(homeDirectory, () => {
    mkdirSync(homeDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  });
}

/** The list as it is, without making one: a home that never had a list has an empty one. */
export function readLiveOptOuts(settings: Settings): LiveOptOuts {
  try {
    return { list: readDenyList(optOutsPathOf(settings)), problem: undefined };
  } catch (error) {
    if (!(error instanceof OptOutsError)) throw error;
    const isNewHome = error.code === "OPT_OUTS_MISSING" && rememberedLiveOptOuts(settings) === undefined;
    if (isNewHome) return { list: { count: 0, has: () => false }, problem: undefined };
    return { list: EVERYBODY_DENIED, problem: error };
  }
}

/**
 * The list as it is, made empty where this home never had one. One that was there and is gone is not made again: an
 * empty list in its place would name everybody who is on it.
 */
export function openLiveOptOuts(settings: Settings): LiveOptOuts {
  const path = optOutsPathOf(settings);
  if (!existsSync(path) && rememberedLiveOptOuts(settings) === undefined) {
    const mode = settings.optOutsPath === undefined ? OPT_OUTS_MODES.owner : OPT_OUTS_MODES.group;
    try {
      inHome(settings.homeDirectory, () =>
        mkdirSync(settings.homeDirectory, { recursive: true, mode: 0o700 }),
      );
      createOptOuts({ path, mode, randomBytes });
    } catch (cause) {
      if (!(cause instanceof OptOutsError)) throw cause;
      throw new PipelineError("HOME_INVALID", "the list of live opt-outs cannot be made", {
        cause,
        hint: "Check that the folder of --optouts (GOVDATA_OPTOUTS), or the home, is there and may be written.",
      });
    }
    rememberLiveOptOuts(settings, 0);
  }
  return readLiveOptOuts(settings);
}

/** What an operator can do about a list that cannot be asked. */
export const LOST_LIST_HINT =
  `Put the file back (--optouts, GOVDATA_OPTOUTS). If it is lost for good, delete ${MEMORY_FILE} in the home: ` +
  "`govdata init` then makes an empty list, and whoever was on the old one only must be opted out again.";

/** The registry as it may be published: who is on the live list has opted out, like who did so in the registry. */
export function withLiveOptOuts(registry: Registry, { list }: LiveOptOuts): Registry {
  return {
    ...registry,
    entities: registry.entities.map((entity) =>
      entity.isOptedOut || !list.has(entity.entityId) ? entity : { ...entity, isOptedOut: true },
    ),
  };
}

/** What readers of a version are told of a list that could not be asked: why there are no entities in it. */
export function liveOptOutFindings({ problem }: LiveOptOuts): readonly Pick<Finding, "code" | "message">[] {
  if (problem === undefined) return [];
  return [{ code: problem.code, message: `no entity is published: ${problem.message}` }];
}
