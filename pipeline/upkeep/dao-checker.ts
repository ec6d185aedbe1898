import { PipelineError } from "../facts/errors.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { Progress } from "../home/settings.ts";
import { RpcError } from "../sources/governor/rpc.ts";

/** What is compared of a DAO's entry. */
export type CheckedPart =
  | "space"
  | "strategies"
  | "chain"
  | "token"
  | "first-block"
  | "decimals"
  | "kind"
  | "clock"
  | "governor"
  | "governor-token";

/**
 * How a part of an entry compares with the live source. `renamed` is no fault, for the registry's name is the one we publish;
 * `not-checked` says why nobody could know.
 */
export type CheckStatus = "same" | "renamed" | "differs" | "missing" | "failed" | "not-checked";

/** One comparison. */
export interface PartCheck {
  readonly part: CheckedPart;
  readonly status: CheckStatus;
  /** What is there instead, or why it could not be asked, for people. */
  readonly detail?: string;
}

/** One comparison, and of which DAO. */
export interface DaoCheck extends PartCheck {
  readonly spaceId: string;
  readonly name: string;
}

/** Asks one live source about a DAO of the registry. */
export interface DaoChecker {
  /** What has failed where the source cannot be asked at all. */
  readonly part: CheckedPart;
  /** Nothing for a DAO that it has no part in. Throws `PipelineError` where the source cannot be asked. */
  check(dao: TrackedDao): Promise<readonly PartCheck[]>;
}

/** Compares DAOs with live sources, one after the other; one that cannot be asked about is no end of it. */
export async function checkDaos(
  daos: readonly TrackedDao[],
  { checkers, progress }: { readonly checkers: readonly DaoChecker[]; readonly progress: Progress },
): Promise<readonly DaoCheck[]> {
  const checks: DaoCheck[] = [];
  for (const [place, dao] of daos.entries()) {
    const { spaceId, name } = dao;
    const parts: PartCheck[] = [];
    for (const checker of checkers) parts.push(...(await checkDao(dao, checker)));
    checks.push(...parts.map((part) => ({ spaceId, name, ...part })));
    progress.step("check", place + 1, daos.length, spaceId, countsOf(parts));
  }
  return checks;
}

async function checkDao(dao: TrackedDao, { part, check }: DaoChecker): Promise<readonly PartCheck[]> {
  try {
    return await check(dao);
  } catch (error) {
    if (!(error instanceof PipelineError) || error.code === "INTERRUPTED") throw error;
    return [{ part, status: "failed", detail: error.message }];
  }
}

function countsOf(parts: readonly PartCheck[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { status } of parts) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** What came of asking for a part. */
export type AskedPart = Omit<PartCheck, "part">;

/** Asks a node for one part; where it refuses or is away, that is what is said of the part. The node's own words are not. */
export async function askPart(part: CheckedPart, ask: () => Promise<AskedPart>): Promise<PartCheck> {
  try {
    return { part, ...(await ask()) };
  } catch (error) {
    const isExpected = error instanceof PipelineError && error.code !== "INTERRUPTED";
    if (!isExpected && !(error instanceof RpcError)) throw error;
    return { part, status: "failed", detail: error.message };
  }
}
