import { PipelineError } from "../base/pipeline-error.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { Progress } from "./effects.ts";
import { readRegistry } from "./home.ts";
import type { Settings } from "./settings.ts";

/** What a live source says about a space. */
export interface LiveSpace {
  readonly name: string | undefined;
}

/** Asks a live source about a DAO of the registry: `undefined` where it has no such space. Throws `PipelineError` where it cannot be asked. */
export type SpaceChecker = (dao: TrackedDao) => Promise<LiveSpace | undefined>;

/** How a DAO of the registry compares with the live source. */
export interface DaoCheck {
  readonly spaceId: string;
  readonly name: string;
  /** `renamed` is no fault: the registry's name is the one we publish. */
  readonly status: "same" | "renamed" | "missing" | "failed";
  /** The live name, or why it could not be asked. */
  readonly detail: string | undefined;
}

/** Compares every DAO of the registry with a live source, one after the other; a DAO that cannot be asked is no end of it. */
export async function checkDaos(
  settings: Settings,
  { checker, progress }: { readonly checker: SpaceChecker; readonly progress: Progress },
): Promise<readonly DaoCheck[]> {
  const { daos } = readRegistry(settings);
  const checks: DaoCheck[] = [];
  for (const dao of daos) {
    const check = await checkDao(dao, checker);
    checks.push(check);
    progress.step("check", checks.length, daos.length, dao.spaceId, { status: check.status });
  }
  return checks;
}

async function checkDao(dao: TrackedDao, checker: SpaceChecker): Promise<DaoCheck> {
  const { spaceId, name } = dao;
  try {
    const live = await checker(dao);
    if (live === undefined) return { spaceId, name, status: "missing", detail: undefined };
    const isRenamed = live.name !== undefined && live.name !== name;
    return { spaceId, name, status: isRenamed ? "renamed" : "same", detail: live.name };
  } catch (error) {
    if (!(error instanceof PipelineError) || error.code === "INTERRUPTED") throw error;
    return { spaceId, name, status: "failed", detail: error.message };
  }
}
